"""An issuer of tokens on loopback, over https as the authorizer wants it, with the two documents it is asked for."""

import base64
import json
import ssl
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import trustme
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

AUDIENCE = "mobile-app"
KEY_ID = "key-1"


def _key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@dataclass
class Issuer:
    """Signs tokens; whoever trusts `authority` can read the keys at `url`."""

    url: str = ""
    authority: trustme.CA = field(default_factory=trustme.CA)
    key: rsa.RSAPrivateKey = field(default_factory=_key)

    def token(self, *, key: rsa.RSAPrivateKey | None = None, **claims: Any) -> str:
        """Returns a token that is good unless a claim or the key says otherwise."""
        now = int(time.time())
        good = {"sub": "ana", "iss": self.url, "aud": AUDIENCE, "iat": now - 10, "exp": now + 600}
        signed = f"{_part({'alg': 'RS256', 'kid': KEY_ID, 'typ': 'JWT'})}.{_part(good | claims)}"
        signature = (key or self.key).sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256())
        return f"{signed}.{_base64(signature)}"

    def document(self, path: str) -> dict[str, Any] | None:
        """Returns what is found at an address."""
        numbers = self.key.public_key().public_numbers()
        key = {
            "kty": "RSA",
            "use": "sig",
            "alg": "RS256",
            "kid": KEY_ID,
            "n": _number(numbers.n),
            "e": _number(numbers.e),
        }
        return {
            "/.well-known/openid-configuration": {"issuer": self.url, "jwks_uri": f"{self.url}/keys"},
            "/keys": {"keys": [key]},
        }.get(path)


def somebody_elses_key() -> rsa.RSAPrivateKey:
    """Returns a key that no issuer knows."""
    return _key()


@contextmanager
def issuing(folder: Path) -> Generator[tuple[Issuer, Path]]:
    """Runs an issuer for as long as the block lasts; gives it, and the file of the authority that vouches for it."""
    issuer = Issuer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            document = issuer.document(self.path)
            body = json.dumps(document).encode()
            self.send_response(200 if document else 404)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
            """Stays silent."""

    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    issuer.authority.issue_cert("localhost").configure_cert(tls)
    vouches = folder / "authority.pem"
    issuer.authority.cert_pem.write_to_path(str(vouches))
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.socket = tls.wrap_socket(http.socket, server_side=True)
        issuer.url = f"https://localhost:{http.server_address[1]}"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield issuer, vouches
        finally:
            http.shutdown()
            thread.join()


def _part(value: dict[str, Any]) -> str:
    return _base64(json.dumps(value).encode())


def _number(value: int) -> str:
    return _base64(value.to_bytes((value.bit_length() + 7) // 8))


def _base64(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()
