"""What can go wrong in one attempt to ask a model, in the same words for every provider."""

import re
from typing import Any

from rondas.providers.wire import as_object, as_objects, as_text

RETRYABLE_STATUSES = frozenset({408, 409, 429, 500, 502, 503, 504, 529})

REJECTED_STATUSES = frozenset({400, 413, 422})

_SERVER_ERROR = 500
_REFUSED_KEYS = ("api_key_invalid",)  # comes as a 400 from Google
_OUT_OF_QUOTA = "insufficient_quota"  # comes as a 429, but no wait within a message helps
_OWN_MISTAKES = (TypeError, LookupError, AttributeError, AssertionError)
_IDENTIFIER = re.compile(r"[a-z][a-z0-9_]{0,63}")


class ProviderError(Exception):
    """An attempt failed.

    Attributes:
        model: who failed, as `provider:model`.
        cause: in short, for the operator: status, kind of error. No key, no prompt, no provider text.
        retryable: whether the same request may succeed in a moment.
        retry_after: seconds the provider asked to wait; None where it did not say.
        code: the provider's own word for it, such as `invalid_prompt`; empty where it gave none.
    """

    def __init__(
        self, model: str, cause: str, *, retryable: bool, retry_after: float | None = None, code: str = ""
    ) -> None:
        super().__init__(f"{model}: {cause}")
        self.model = model
        self.cause = cause
        self.retryable = retryable
        self.retry_after = retry_after
        self.code = code


class RequestRejected(ProviderError):  # noqa: N818 - names what happened
    """The model would not take this request, and would not take it again; another message may well be taken."""


def from_exception(model: str, error: Exception) -> ProviderError:
    """Translates what an SDK raised. Its message stays behind: it may echo a key or the person's words.

    Errors without an HTTP status are failed connections and answers that are no JSON, both worth another attempt; or
    they are our own mistakes, which the same request would meet again.
    """
    status = _status(error)
    kind = type(error).__name__
    if status is None:
        return ProviderError(model, kind, retryable=not isinstance(error, _OWN_MISTAKES))
    code = _code(error)
    retryable = (status in RETRYABLE_STATUSES or status >= _SERVER_ERROR) and code != _OUT_OF_QUOTA
    cause = f"{status} {kind} {code}".rstrip()
    failure = RequestRejected if status in REJECTED_STATUSES and code not in _REFUSED_KEYS else ProviderError
    return failure(model, cause, retryable=retryable, retry_after=_retry_after(error), code=code)


def malformed(model: str, what: str) -> ProviderError:
    """Returns the error for an answer that came with HTTP 200 and cannot be understood."""
    return ProviderError(model, what, retryable=True)


def identifier(value: object) -> str:
    """Returns a provider's code if it is a plain word, safe to log; else nothing."""
    return value if isinstance(value, str) and _IDENTIFIER.fullmatch(value) else ""


def _code(error: Exception) -> str:
    """Returns the provider's word for the error, where there is one that is safe to log."""
    details = as_objects(as_object(as_object(getattr(error, "details", None)).get("error")).get("details"))
    words: list[object] = [getattr(error, "code", None), getattr(error, "type", None)]
    words += [as_text(detail.get("reason")).lower() for detail in details] + [str(getattr(error, "status", "")).lower()]
    return next((word for word in map(identifier, words) if word), "")


def _status(error: Exception) -> int | None:
    for name in ("status_code", "code"):
        status = getattr(error, name, None)
        if isinstance(status, int):
            return status
    return None


def _retry_after(error: Exception) -> float | None:
    headers: Any = getattr(getattr(error, "response", None), "headers", None) or {}
    for name, per_second in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            return max(0.0, float(headers[name]) / per_second)
        except (KeyError, TypeError, ValueError):
            continue  # absent, or a date; a date is rare enough to fall back to the policy's own wait
    return _retry_delay(getattr(error, "details", None))


def _retry_delay(details: Any) -> float | None:
    """Returns the wait that Google puts into the body of the error (`google.rpc.RetryInfo`), such as `"34.07s"`."""
    for detail in as_objects(as_object(as_object(details).get("error")).get("details")):
        try:
            return max(0.0, float(as_text(detail.get("retryDelay")).removesuffix("s")))
        except ValueError:
            continue
    return None
