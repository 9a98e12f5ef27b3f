"""The server of a view answers requests of its own page, not those of other pages in the user's browser."""

import http.client
import socket
from collections.abc import Iterator
from typing import Any

import pytest

import revolute

viser = pytest.importorskip("viser")

from websockets.exceptions import InvalidStatus  # noqa: E402
from websockets.sync.client import connect  # noqa: E402

from revolute.view.server import admitted, own_names, started  # noqa: E402
from revolute.view.view import View  # noqa: E402

OWN = ["127.0.0.1", "localhost", "[::1]", "localhost:9000"]
FOREIGN = ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8080", "127.0.0.1@evil.example", ""]
ADDRESSES = ["192.168.1.5:8080", "[fe80::1]"]
MACHINE = socket.gethostname()


@pytest.fixture(scope="module", params=["127.0.0.1", "0.0.0.0"])
def view(request: pytest.FixtureRequest) -> Iterator[View]:
    with revolute.robots.planar(2).view(host=request.param) as view:
        yield view


def scene(view: View, origin: str | None, host: str = "127.0.0.1") -> bytes | int:
    """The first message about the scene, or the status that refuses the WebSocket."""
    versions: Any = [f"viser-v{viser.__version__}"]
    wire = socket.create_connection(("127.0.0.1", view._server.get_port()), timeout=60)
    try:
        with connect(f"ws://{host}", sock=wire, origin=origin, subprotocols=versions) as client:  # type: ignore[arg-type]
            message = client.recv(60)
            assert isinstance(message, bytes)
            return message
    except InvalidStatus as refusal:
        return refusal.response.status_code


def page(view: View, host: str) -> int:
    """The status of a request for the page by one name of the server."""
    connection = http.client.HTTPConnection("127.0.0.1", view._server.get_port(), timeout=60)
    connection.putrequest("GET", "/", skip_host=True)
    connection.putheader("Host", host)
    connection.endheaders()
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.parametrize("origin", [None, "{url}", "http://localhost:{port}", "https://localhost"])
def test_own_pages_and_programs_get_the_scene(view: View, origin: str | None) -> None:
    own = origin and origin.format(url=view.url, port=view._server.get_port())
    message = scene(view, own)
    assert isinstance(message, bytes) and len(message) > 1000


@pytest.mark.parametrize(
    "origin", [*(f"http://{host}" for host in FOREIGN if host), "null", "file://", "http://203.0.113.7", "http://[::1"]
)
def test_pages_of_other_sites_do_not(view: View, origin: str) -> None:
    assert scene(view, origin) == 403


def test_names_that_resolve_to_this_machine_do_not_read_the_scene(view: View) -> None:
    """DNS rebinding: the page of a stranger and its WebSocket have the same name, which leads to this machine."""
    assert scene(view, "http://evil.example:8080", "evil.example:8080") == 403
    for host in FOREIGN:
        assert page(view, host) == 403
    for host in OWN:
        assert page(view, host) == 200


def test_a_view_for_the_network_answers_to_addresses_and_the_name_of_the_machine(view: View) -> None:
    expected = 403 if view.host == "127.0.0.1" else 200
    for host in (*ADDRESSES, MACHINE, MACHINE.upper(), f"{MACHINE}.local:80"):
        assert page(view, host) == expected
    answer = scene(view, "http://192.168.1.5:8080", "192.168.1.5:8080")
    assert (answer == 403) if expected == 403 else isinstance(answer, bytes)
    assert scene(view, "http://203.0.113.7", "192.168.1.5:8080") == 403


class Headers(dict[str, list[str]]):
    def get_all(self, name: str) -> list[str]:
        return self.get(name, [])


def test_the_host_that_the_user_named_is_a_name_of_the_server() -> None:
    names = own_names("Arm.Lab.Example")
    assert admitted(names, Headers(Host=["arm.lab.example:8080"], Origin=["http://ARM.lab.example:8080"]))
    for headers in (
        Headers(Host=["arm.lab.example"], Origin=["http://lab.example"]), Headers(), Headers(Host=["localhost"] * 2),
        Headers(Host=["localhost"], Origin=["http://localhost", "http://evil.example"]),
    ):
        assert not admitted(names, headers)
    assert not admitted(own_names(""), Headers(Host=[""]))


def test_other_servers_are_as_before_and_an_unknown_viser_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from websockets.asyncio import server

    serve = server.serve
    with revolute.robots.planar(1).view():
        assert server.serve is serve
    monkeypatch.setattr(viser, "ViserServer", lambda **_: None)
    with pytest.raises(revolute.InputError, match="requests to this release of viser cannot be checked"):
        started("127.0.0.1", 8080, "t")
    assert server.serve is serve
