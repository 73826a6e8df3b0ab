"""A request to the model, read as the person's question and what has been looked up for it so far."""

import json
import re
from dataclasses import dataclass, field
from typing import Any, cast

from local.json_values import Json, beginning_of

CONTINUE = re.compile(
    r"^\W*((yes|yeah|ok(ay)?|sure|please|continue|go on|keep going|do|carry on"
    r"|s[ií]|vale|claro|por favor|contin[uú]a(r)?|sigue|adelante)\W*)+$",
    re.IGNORECASE,
)
SPANISH = re.compile(
    r"[¿¡ñáéíóú]|\b(qu[eé]|cu[aá]nto|mis?|este|esta|mes|quiero|hola|s[ií]|cu[aá]les|objetivos?|guarda|ejercicios?"
    r"|contin[uú]a|sigue|gracias|estima|de|para|con|y|sentadillas?|dominadas|peso|fondos|prensa|zancadas?|apunta|anota|registra|banca|cintura)\b",
    re.IGNORECASE,
)
FOLLOW_UP = re.compile(r"^\W*(and|what about|how about|y|qu[eé] tal)\b", re.IGNORECASE)
NOT_DONE = ("Not executed", "stopped:", "interrupted:")


@dataclass(slots=True)
class Call:
    """A tool the model has asked for, and what came back."""

    name: str
    arguments: Json
    result: str = ""
    failed: bool = False

    @property
    def done(self) -> bool:
        """Whether it ran, as far as the model was told."""
        return not self.result.startswith(NOT_DONE)

    @property
    def was_cut(self) -> bool:
        """Whether only the beginning of its result is there."""
        if self.failed:
            return False
        try:
            json.loads(self.result)
        except ValueError:
            return True
        return False

    def data(self) -> Json:
        """Returns the result as the JSON object it is, or as much as is left of it; empty for a mistake."""
        return {} if self.failed else beginning_of(self.result)


@dataclass(slots=True)
class Scene:
    """What the model has before it.

    Attributes:
        question: what the person wants; where their last words only say to go on, what they asked for before.
        topic: the last question that was not only about another exercise, such as "and squat?".
        calls: all that was asked for since the question, in order, over as many messages as it took.
        tools: the names of the tools there are.
        closing: whether it may not use them now.
        spanish: whether the person writes Spanish.
    """

    question: str = ""
    topic: str = ""
    calls: list[Call] = field(default_factory=list[Call])
    tools: frozenset[str] = frozenset()
    closing: bool = False
    spanish: bool = False

    def called(self, name: str) -> Call | None:
        """Returns the last call of a tool that was carried out, well or not."""
        return next((call for call in reversed(self.calls) if call.name == name and call.done), None)

    def say(self, english: str, spanish: str) -> str:
        """Returns the sentence in the person's language."""
        return spanish if self.spanish else english


def read_scene(request: Json) -> Scene:
    """Reads a request that the API would take."""
    scene = Scene(
        tools=frozenset(str(tool.get("name")) for tool in request.get("tools", [])),
        closing=request.get("tool_choice", {}).get("type") == "none",
    )
    by_id: dict[str, Call] = {}
    for message in cast("list[Json]", request["messages"]):
        for block in _blocks(message["content"]):
            _take(scene, by_id, str(message["role"]), block)
    return scene


def _take(scene: Scene, by_id: dict[str, Call], role: str, block: Json) -> None:
    match role, block["type"]:
        case "user", "text":
            _hear(scene, str(block["text"]))
        case "assistant", "tool_use":
            call = Call(str(block["name"]), block["input"])
            scene.calls.append(call)
            by_id[block["id"]] = call
        case "user", "tool_result":
            call = by_id[block["tool_use_id"]]
            call.result, call.failed = _text(block.get("content", "")), bool(block.get("is_error"))
        case _:
            pass


def _hear(scene: Scene, text: str) -> None:
    scene.spanish = SPANISH.search(text) is not None
    if not CONTINUE.match(text):
        scene.question = text
        scene.topic = scene.topic if FOLLOW_UP.match(text) else text
        scene.calls.clear()


def _blocks(content: Any) -> list[Json]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(str(part.get("text", "")) for part in content)
