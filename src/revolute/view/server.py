"""The server of a view, by default only for this machine."""

import contextlib
import io
import socket
from typing import Any

import numpy as np

from revolute.arguments import whole_number
from revolute.errors import InputError, extra, printable

LOOPBACK = "127.0.0.1"
BACKGROUND = (226, 231, 237)


def started(host: str, port: int, title: str) -> Any:
    """A viser server, without terminal output or internet sharing."""
    with extra("viewing needs the package viser", "view"):
        import viser
    _try(host, port)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            server: Any = viser.ViserServer(host=host, port=port, label=printable(title), verbose=False)
    except (OSError, OverflowError, AssertionError) as error:
        raise InputError(f"view: cannot listen on {host}:{port}: {error}") from None
    # Any web page in the browser can send messages to a local port; a share request would publish the scene.
    server.request_share_url = lambda verbose=True: None
    server.gui.configure_theme(show_share_button=False, show_logo=False, control_width="medium")
    _light(server.scene)
    return server


def _try(host: str, port: int) -> None:
    """Raise `InputError` for an address of another machine, where viser would search for a port forever."""
    whole_number("view: port", port, 0)
    if port > 65535:
        raise InputError(f"view: port is {port}, but must be at most 65535")
    try:
        family, kind, *_, address = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            probe.bind(address)
    except (OSError, UnicodeError) as error:
        raise InputError(f"view: cannot listen on '{printable(host)}': {error}; this machine is 127.0.0.1") from None


def _light(scene: Any) -> None:
    """Set lights: viser's environment maps need the network, and its default lights wash out bright links."""
    scene.configure_environment_map(None)
    scene.configure_default_lights(False)
    scene.set_background_image(np.full((8, 8, 3), BACKGROUND, np.uint8), format="png")
    scene.add_light_hemisphere("/light/sky", sky_color=(255, 255, 255), ground_color=(120, 120, 130), intensity=1.4)
    scene.add_light_directional("/light/sun", intensity=1.8, position=(3.0, -2.0, 5.0))
    scene.add_light_directional("/light/fill", intensity=0.6, position=(-3.0, 2.0, 1.0))
