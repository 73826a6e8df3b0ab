"""What the demo model does next, and what its plans have in common."""

from dataclasses import dataclass

from local.demo_scene import Call, Scene
from local.json_values import Json


@dataclass(frozen=True, slots=True)
class Ask:
    """The tool to call next, and what is said meanwhile."""

    words: str
    name: str
    arguments: Json


type Step = Ask | str
"""What the model does: a tool, or its answer."""


def failure(scene: Scene, call: Call) -> str:
    """Returns the honest words for a call that failed; empty for one that went well."""
    if not call.failed:
        return ""
    return scene.say(f"I could not do that: {call.result}", f"No he podido hacerlo: {call.result}")


def number(text: str) -> float:
    """Reads a number as people write it, with a point or a comma."""
    return float(text.replace(",", "."))


def sentence(words: str) -> str:
    """Makes a sentence of words."""
    return f"{words[:1].upper()}{words[1:].removesuffix('.')}."
