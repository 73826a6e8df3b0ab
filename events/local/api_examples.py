"""What the operations of the HTTP API take and give when all is well, as examples for the OpenAPI document."""

from local.api_errors import LIST, LOOK, POST, READ, STOP
from local.json_values import Json

REQUEST: Json = {"text": "How much did I progress on bench press this month?"}

CONVERSATION = "2f1c9c1e-6d0b-4a0e-9d0f-0c5a1a1f7a11"
KEY = "b6a5c1de-9f0a-4a42-8d1b-5d7a3f0c2e44"
REPLY = "Your estimated one-rep max went from 92.2 kg to 96.2 kg: +4 kg, +4.3 %."

ANSWERED: Json = {
    "status": "answered",
    "reply": REPLY,
    "rounds": 2,
    "model": "anthropic:claude-sonnet-5-5",
    "usage": {"input_tokens": 4210, "cached_tokens": 3800, "output_tokens": 180, "reasoning_tokens": 0},
    "message_id": KEY,
    "conversation_id": CONVERSATION,
}
ACCEPTED: Json = {"status": "running", "message_id": KEY, "conversation_id": CONVERSATION}
ACCEPTED_AT = f"/conversations/{CONVERSATION}/messages/{KEY}"

STEP: Json = {
    "seq": 1,
    "role": "assistant",
    "text": "I look into your training history.",
    "status": None,
    "created_at": "2026-11-30T18:04:07.480Z",
    "tool_calls": [
        {
            "id": "call_1",
            "name": "training_history",
            "arguments": {"exercise": "bench press", "period": "this_month"},
            "result": '{"first":{"one_rep_max_kg":92.2},"last":{"one_rep_max_kg":96.2}}',
            "outcome": "done",
        }
    ],
}

ANSWERS: dict[str, Json] = {
    POST: ANSWERED,
    LOOK: ANSWERED | {"status": "running", "reply": None, "rounds": 1, "model": None, "usage": None, "steps": [STEP]},
    STOP: ANSWERED | {"steps": [STEP]},
    LIST: {
        "conversations": [
            {
                "id": CONVERSATION,
                "title": REQUEST["text"],
                "created_at": "2026-11-30T18:04:05.120Z",
                "updated_at": "2026-11-30T18:04:05.120Z",
            }
        ],
        "next": None,
    },
    READ: {
        "messages": [
            {
                "seq": 0,
                "role": "user",
                "text": REQUEST["text"],
                "status": None,
                "created_at": "2026-11-30T18:04:05.120Z",
                "tool_calls": [],
            },
            STEP,
            {
                "seq": 2,
                "role": "assistant",
                "text": REPLY,
                "status": "answered",
                "created_at": "2026-11-30T18:04:09.010Z",
                "tool_calls": [],
            },
        ],
        "next": None,
    },
}
"""By operation."""
