"""The fixed words of the harness: what the model is told at a limit, and what the person is told when it fails.

To the model, a declined call is a plain fact; the instruction goes to the system part of the closing call alone
(rule L4). To the person, every sentence is honest, in their language, and holds nothing from a provider (rule L5).
"""

import math
import re
from contextlib import suppress
from typing import Literal

type Language = Literal["en", "es"]

NOT_EXECUTED = {
    "step_limit": "Not executed: the step limit for this answer was reached.",
    "time_limit": "Not executed: the time limit for this answer was reached.",
    "stopped": "Not executed: the person asked to stop.",
    "cut_off": "Not executed: the turn that asked for this was cut off.",
}
STOPPED = "stopped: out of time, effect unknown"
INTERRUPTED = "interrupted: it was started, and whether it took effect is unknown"

CLOSING = {
    "step_limit": "You have reached the step limit for this answer.",
    "time_limit": "You have reached the time limit for this answer.",
    "truncated": "Your last turns were cut off because they were too long.",
}
CLOSING_INSTRUCTION = (
    "{limit} You cannot use any tool now. Answer the person, in their language, with what you already know. "
    "Explain the limit in plain words, say what was left undone, claim nothing that was not done, and ask whether "
    "to continue."
)
BLANK_INSTRUCTION = (
    "Your last turn was empty. You cannot use any tool now. Answer the person, in their language, with what you "
    "already know."
)

_FIXED: dict[Language, dict[str, str]] = {
    "en": {
        "step_limit": "I reached the limit of steps for one answer before I finished. Shall I continue?",
        "time_limit": "I ran out of time for this answer before I finished. Shall I continue?",
        "stopped": "I have stopped, as you asked. What was done before stays done. Shall I go on?",
        "refused": "I can't help with that. Is there something else I can do for you?",
        "truncated": "My answer grew too long and was cut off. Shall I try a shorter one?",
        "failed": "I couldn't answer this time. Please try again in a moment.",
    },
    "es": {
        "step_limit": "He llegado al límite de pasos de esta respuesta antes de terminar. ¿Quieres que continúe?",
        "time_limit": "Se me ha acabado el tiempo de esta respuesta antes de terminar. ¿Quieres que continúe?",
        "stopped": "Me he detenido, como pediste. Lo que ya estaba hecho queda hecho. ¿Quieres que siga?",
        "refused": "No puedo ayudarte con eso. ¿Hay otra cosa en la que pueda ayudarte?",
        "truncated": "Mi respuesta era demasiado larga y se ha cortado. ¿Pruebo con una más corta?",
        "failed": "Esta vez no he podido responder. Inténtalo de nuevo en un momento, por favor.",
    },
}

_INTERRUPTED: dict[Language, tuple[str, str]] = {
    "en": (
        "I was interrupted before I could finish this answer.",
        "One step had been started, and I don't know whether it took effect.",
    ),
    "es": (
        "Me interrumpieron antes de terminar esta respuesta.",
        "Había empezado un paso y no sé si llegó a tener efecto.",
    ),
}

_QUOTA: dict[Language, str] = {
    "en": "You have used up what you may ask in one day. It starts anew at midnight UTC, in {hours} h {minutes} min.",
    "es": (
        "Has agotado lo que puedes preguntar en un día. Vuelve a empezar a medianoche UTC, dentro de "
        "{hours} h {minutes} min."
    ),
}

_TOO_MANY_RUNS: dict[Language, str] = {
    "en": "Other messages of yours are still being answered. Send this one again afterwards.",
    "es": "Todavía se están respondiendo otros mensajes tuyos. Vuelve a enviar este después.",
}

_SPANISH_LETTERS = re.compile(r"[¿¡ñáéíóú]", re.IGNORECASE)
_SPANISH_WORDS = re.compile(
    r"\b(el|la|los|las|un|una|de|del|que|qué|cuánto|cuanto|cómo|como|mi|mis|en|por|para|con|quiero|hola|sí|este|esta"
    r"|gracias|y|he|es)\b",
    re.IGNORECASE,
)


def fixed_reply(status: str, language: Language) -> str:
    """Returns the sentence for a run that ended with `status` and has no words of a model to show."""
    return _FIXED[language][status]


def interrupted_reply(language: Language, *, effect_unknown: bool) -> str:
    """Returns what closes a message whose run died and was not resumed."""
    plain, unknown = _INTERRUPTED[language]
    return f"{plain} {unknown}" if effect_unknown else plain


def quota_detail(language: Language, seconds: float) -> str:
    """Returns what a person is told who has used up the tokens of the day; the next begins in so many seconds."""
    hours, minutes = divmod(math.ceil(seconds / 60), 60)
    return _QUOTA[language].format(hours=hours, minutes=minutes)


def too_many_runs_detail(language: Language) -> str:
    """Returns what a person is told of whom as many messages are being answered as may be."""
    return _TOO_MANY_RUNS[language]


def closing_instruction(limit: str) -> str:
    """Returns what the closing call is told; `limit` is a key of `CLOSING`."""
    return CLOSING_INSTRUCTION.format(limit=CLOSING[limit])


def language_of(text: str, accept_language: str = "") -> Language:
    """Returns the language of the fixed sentences: `Accept-Language` where it says one, else that of `text`."""
    for tag in _by_preference(accept_language):
        if tag in ("es", "en"):
            return tag
    spanish = len(_SPANISH_WORDS.findall(text)) + 2 * len(_SPANISH_LETTERS.findall(text))
    return "es" if 3 * spanish > len(text.split()) else "en"


def _by_preference(accept_language: str) -> list[str]:
    """Returns the languages of the header, two letters each, the most wanted first."""
    wanted: list[tuple[float, str]] = []
    for choice in accept_language.lower().split(","):
        tag, _, weight = choice.partition(";q=")
        with suppress(ValueError):
            wanted.append((float(weight or 1), tag.strip()[:2]))
    return [tag for weight, tag in sorted(wanted, key=lambda each: -each[0]) if weight > 0]
