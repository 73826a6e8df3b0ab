"""About how many tokens an entry costs, without asking anybody.

Measured on recorded exchanges with the three services: a token is 3.4 bytes of JSON and 3.5 to 5 of English words; a
call with its result takes, beside its texts, 10 to 12 tokens with OpenAI, 12 to 18 with Google and 39 to 65 with
Anthropic. A conversation may go from one service to another, so there is one estimate for all, and it leans to the
expensive side: it is never more than a fifth below what was billed. Letters outside ASCII count as the bytes they take
in UTF-8, which leans the same way for Spanish, of which nothing is recorded.
"""

from rondas.history import Answer, Entry, Round, UserMessage

BYTES_PER_TOKEN = 3

MESSAGE_TOKENS = 4
"""For the role and the bounds of what is said."""

CALL_TOKENS = 50
"""For the ids, names and bounds of a call and its result."""


def estimated_tokens(entry: Entry) -> int:
    """Returns about how many tokens an entry costs the model, without counting its opaque part."""
    match entry:
        case UserMessage(text) | Answer(text):
            return MESSAGE_TOKENS + _tokens(text)
        case Round(turn, results):
            calls = sum(CALL_TOKENS + _tokens(call.name) + _tokens(call.arguments) for call in turn.calls)
            return MESSAGE_TOKENS + _tokens(turn.text) + calls + sum(_tokens(result.text) for result in results)


def _tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)
