"""The server of a view, by default only for this machine."""

import contextlib
import io
import socket
import threading
from collections.abc import Iterator
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from revolute.arguments import whole_number
from revolute.errors import InputError, extra, printable

LOOPBACK = "127.0.0.1"
LOCAL = frozenset({LOOPBACK, "localhost", "::1"})
DENIED = "This page may not read the view: open the address of the view itself.\n"
_STARTING = threading.Lock()
BACKGROUND = (226, 231, 237)


def started(host: str, port: int, title: str) -> Any:
    """A viser server, without terminal output or internet sharing."""
    with extra("viewing needs the package viser", "view"):
        import viser
    _try(host, port)
    try:
        with contextlib.redirect_stdout(io.StringIO()), _guarded(host):
            server: Any = viser.ViserServer(host=host, port=port, label=printable(title), verbose=False)
    except (OSError, OverflowError, AssertionError) as error:
        raise InputError(f"view: cannot listen on {host}:{port}: {error}") from None
    # A share request of the page would publish the scene on the internet.
    server.request_share_url = lambda verbose=True: None
    server.gui.configure_theme(show_share_button=False, show_logo=False, control_width="medium")
    _light(server.scene)
    return server


def own_names(host: str) -> frozenset[str]:
    """Names by which browsers may address a server that listens on `host`; beyond `LOCAL` if others can connect."""
    machine = () if host in LOCAL else (socket.gethostname(), f"{socket.gethostname()}.local", socket.getfqdn())
    return LOCAL | {name.lower() for name in (host, *machine) if name}


def admitted(names: frozenset[str], headers: Any) -> bool:
    """Whether a request to a server with these names comes from a page of this server, or from no page.

    Pages of other sites send their Origin. Attackers can point DNS names, sent as Host, to this machine; IP addresses
    are safe.
    """
    site, *more = map(_host_of, headers.get_all("Host") or ["", ""])
    known = names | {site} if names > LOCAL and (":" in site or site.replace(".", "").isdigit()) else names
    return not more and {site, *map(_host_of, headers.get_all("Origin"))} <= known


def _host_of(url: str) -> str:
    with contextlib.suppress(ValueError):
        return urlsplit(url if "//" in url else f"//{url}").hostname or ""
    return ""


@contextlib.contextmanager
def _guarded(host: str) -> Iterator[None]:
    """Make viser servers that start in this block answer only admitted requests: viser does not check websockets."""
    websockets: Any = import_module("websockets.asyncio.server")
    names, started = own_names(host), []

    def guarded(handler: Any, *args: Any, **named: Any) -> Any:
        if handler.__module__.partition(".")[0] == "viser":  # not a server of another thread
            show = named["process_request"]
            named["process_request"] = lambda c, r: show(c, r) if admitted(names, r.headers) else c.respond(403, DENIED)
            started.append(handler)
        return serve(handler, *args, **named)

    with _STARTING:
        serve, websockets.serve = websockets.serve, guarded
        try:
            yield
        finally:
            websockets.serve = serve
    if not started:
        raise InputError("view: requests to this release of viser cannot be checked; install viser 1.1")


def _try(host: str, port: int) -> None:
    """Raise `InputError` for an address of another machine, for which viser would search for a port forever."""
    whole_number("view: port", port, 0)
    if port > 65535:
        raise InputError(f"view: port is {port}, but must be at most 65535")
    try:
        family, kind, *_, address = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            probe.bind(address)
    except (OSError, UnicodeError) as error:
        raise InputError(
            f"view: cannot listen on '{printable(host)}': {error}; to listen on this machine only, use 127.0.0.1"
        ) from None


def _light(scene: Any) -> None:
    """Set lights: viser's environment maps need the network, and its default lights wash out bright links."""
    scene.configure_environment_map(None)
    scene.configure_default_lights(False)
    scene.set_background_image(np.full((8, 8, 3), BACKGROUND, np.uint8), format="png")
    scene.add_light_hemisphere("/light/sky", sky_color=(255, 255, 255), ground_color=(120, 120, 130), intensity=1.4)
    scene.add_light_directional("/light/sun", intensity=1.8, position=(3.0, -2.0, 5.0))
    scene.add_light_directional("/light/fill", intensity=0.6, position=(-3.0, 2.0, 1.0))
