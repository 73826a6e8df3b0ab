"""What a peer finds in its environment."""

import os

MODEL = "claude-sonnet-5-5"
MODEL_URL = os.environ["ANTHROPIC_BASE_URL"]
KEY = os.environ["ANTHROPIC_API_KEY"]

LIMIT = int(os.environ["MAX_TOOL_ROUNDS"])
"""The most model calls of a message, where the peer knows such a limit."""
