"""Text that is safe to send and to store."""


def clean(text: str) -> str:
    """Replaces lone surrogates, which no SDK can encode, and drops NUL bytes (rule S7)."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "")


def cut(text: str, limit: int) -> str:
    """Cuts `text` to about `limit` characters and says how much is missing, so that the model can ask for the rest."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… [cut: {len(text) - limit} of {len(text)} characters left out; ask for less at a time]"
