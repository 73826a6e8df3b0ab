"""What all peers are given to do: a prompt, one trivial tool, and how it ends."""

import re
from typing import Any

SYSTEM = "You are a helpful assistant of Example Corp. Use the lookup tool when you need facts. Be brief."
ABOUT = "Look up a fact."
ANSWER = "Here is the answer. " + "The quick brown fox jumps over the lazy dog. " * 8
UNFINISHED = "I could not finish."

LOREM = "Lorem ipsum dolor sit amet, consectetur adipiscing elit. "
USUAL_CHARS = 180

type Message = dict[str, Any]


def lookup_text(query: str) -> str:
    """Returns what the tool finds: 180 characters, or as many as `size=` in the query says."""
    size = re.search(r"size=(\d+)", query)
    chars = int(size[1]) if size else USUAL_CHARS
    return f"RESULT<{query}> " + (LOREM * (chars // len(LOREM) + 1))[:chars]


def chat_messages(question: str) -> list[Message]:
    """Returns a message that was answered without tools, in Anthropic's words."""
    return [
        {"role": "user", "content": question},
        {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]},
    ]
