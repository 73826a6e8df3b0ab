"""`make token`: bearer tokens for the local API, and what the stand-in for API Gateway's authorizer reads in them.

Nothing is signed and nothing is verified: the server listens on the loopback address only. Whoever deploys has the
real authorizer, which checks the signature, the issuer and the audience.
"""

import base64
import json
import os
import sys
import time
from collections.abc import Sequence
from typing import Any, cast

from local.environment import PERSON
from local.json_values import Json

LIFETIME_SECONDS = 24 * 3600
PARTS = (2, 3)  # with an empty signature, or without its dot


class Unauthorized(Exception):  # noqa: N818 - the answer the caller gets
    """There is no usable token."""


def bearer(person: str, *, lifetime: float = LIFETIME_SECONDS) -> str:
    """Returns an unsigned token that names a person."""
    now = int(time.time())
    claims = {"sub": person, "iss": "local", "aud": "local", "iat": now, "exp": now + int(lifetime)}
    return f"{_encoded({'alg': 'none', 'typ': 'JWT'})}.{_encoded(claims)}."


def read_claims(authorization: str | None, now: float | None = None) -> dict[str, str]:
    """Returns the claims of an `Authorization` header, each as text, as API Gateway hands them on.

    Raises:
        Unauthorized: no token, none that can be read, none that names a person, or one that has expired.
    """
    token = (authorization or "").strip()
    if token[:7].lower() == "bearer ":  # API Gateway takes a token without the word, too
        token = token[7:].strip()
    claims = _payload(token)
    if not isinstance(claims.get("sub"), str) or not claims["sub"]:
        raise Unauthorized
    if not _is_current(claims, time.time() if now is None else now):
        raise Unauthorized
    return {name: _as_text(value) for name, value in claims.items()}


def main(arguments: Sequence[str]) -> None:
    """Prints a token for the person named on the command line or by SUB, or for the one with the sample data."""
    print(bearer(arguments[0] if arguments else os.environ.get("SUB") or PERSON))


def _payload(token: str) -> Json:
    parts = token.split(".")
    if len(parts) not in PARTS:
        raise Unauthorized
    try:
        padded = parts[1] + "=" * (-len(parts[1]) % 4)
        payload = json.loads(base64.b64decode(padded.encode("ascii"), altchars=b"-_", validate=True))
    except (ValueError, RecursionError):
        raise Unauthorized from None
    if not isinstance(payload, dict):
        raise Unauthorized
    return cast("Json", payload)


def _is_current(claims: Json, now: float) -> bool:
    start, end = claims.get("nbf", now), claims.get("exp", now + 1)
    if not all(isinstance(moment, int | float) for moment in (start, end)):
        return False
    return start <= now < end


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return f"[{' '.join(map(_as_text, cast('list[Any]', value)))}]"
    return json.dumps(value)


def _encoded(value: Json) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


if __name__ == "__main__":
    main(sys.argv[1:])
