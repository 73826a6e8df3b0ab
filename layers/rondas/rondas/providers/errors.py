"""What can go wrong in one attempt to ask a model, in the same words for every provider (PROVIDERS §7)."""

from typing import Any

RETRYABLE_STATUSES = frozenset({408, 409, 429, 500, 502, 503, 504, 529})

_SERVER_ERROR = 500


class ProviderError(Exception):
    """An attempt failed.

    Attributes:
        cause: in short, for the operator: provider, status, kind of error. No key, no prompt, no provider text.
        retryable: whether the same request may succeed in a moment.
        retry_after: seconds the provider asked to wait; None where it did not say.
    """

    def __init__(self, cause: str, *, retryable: bool, retry_after: float | None = None) -> None:
        super().__init__(cause)
        self.cause = cause
        self.retryable = retryable
        self.retry_after = retry_after


def from_exception(provider: str, error: Exception) -> ProviderError:
    """Translates what an SDK raised. Its message stays behind: it may echo a key or the person's words.

    Errors without an HTTP status are failed connections and answers that are no JSON, both worth another attempt.
    """
    status = _status(error)
    kind = type(error).__name__
    if status is None:
        return ProviderError(f"{provider}: {kind}", retryable=not isinstance(error, TypeError))
    retryable = status in RETRYABLE_STATUSES or status >= _SERVER_ERROR
    return ProviderError(f"{provider}: {status} {kind}", retryable=retryable, retry_after=_retry_after(error))


def malformed(provider: str, what: str) -> ProviderError:
    """Returns the error for an answer that came with HTTP 200 and cannot be understood."""
    return ProviderError(f"{provider}: {what}", retryable=True)


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
    return None
