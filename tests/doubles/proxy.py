"""A forward proxy that lets everything through: requests as they are, and tunnels for TLS."""

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class ProxyDouble(ThreadingHTTPServer):
    """Remembers which places were asked for."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Tunnel)
        self.tunnels: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Tunnel(BaseHTTPRequestHandler):
    def do_CONNECT(self) -> None:
        assert isinstance(self.server, ProxyDouble)
        self.server.tunnels.append(self.path)
        host, _, port = self.path.rpartition(":")
        with socket.create_connection((host, int(port))) as far:
            self.send_response(200)
            self.end_headers()
            with suppress(OSError):
                _pass_on(self.connection, far)
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Keep quiet."""


def _pass_on(near: socket.socket, far: socket.socket) -> None:
    """Pass bytes on in both directions until one side ends."""
    other = {near: far, far: near}
    while True:
        for ready in select.select([near, far], [], [])[0]:
            content = ready.recv(65_536)
            if not content:
                return
            other[ready].sendall(content)


@contextmanager
def running_proxy() -> Iterator[ProxyDouble]:
    proxy = ProxyDouble()
    thread = threading.Thread(target=proxy.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.shutdown()
        proxy.server_close()
        thread.join(5)
