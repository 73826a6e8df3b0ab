"""The demo model's wits: a few plans, each a pure function of the scene, with the tools' results in the answers."""

import hashlib
import json
import re
from collections.abc import Callable

from local.demo_diary import LOGS, MEASURES, log_workout, read_goals, read_measurements, record_measurement, save_goal
from local.demo_exercises import EXERCISES, exercise_in, named_in
from local.demo_scene import FOLLOW_UP, Call, Scene, read_scene
from local.demo_step import Ask, Step, failure, number, sentence
from local.demo_words import kilograms, progress_words, what_is_left
from local.json_values import Json, objects_in

PERIOD = re.compile(r"\b(week|semana)\b|\b(?:month|mes)\b", re.IGNORECASE)
SET = re.compile(r"(\d+(?:[.,]\d+)?)\s*kg\D{0,12}?\s*(?:x|\u00d7|\*|for|por|a)?\s*(\d+)", re.IGNORECASE)


def think(request: Json) -> list[Json]:
    """Returns the content blocks of the model's turn."""
    scene = read_scene(request)
    step = _plan(scene)(scene)
    if isinstance(step, str):
        return [_text(step)]
    if scene.closing or step.name not in scene.tools:
        return [_text(_closing(scene, step))]
    # Named after all that came before: no two calls of a conversation share an id, and none has to be remembered.
    call_id = hashlib.sha256(json.dumps(request["messages"]).encode()).hexdigest()[:24]
    call = {"type": "tool_use", "id": f"toolu_{call_id}", "name": step.name, "input": step.arguments}
    return [_text(step.words), call]


def _plan(scene: Scene) -> Callable[[Scene], Step]:
    """Finds what the question asks for; "and squat?" asks for what was asked before."""
    follows = FOLLOW_UP.match(scene.question) and named_in(scene.question)
    for question in (scene.question, scene.topic if follows else ""):
        for pattern, plan in PLANS:
            if re.search(pattern, question, re.IGNORECASE):
                return plan
    return _introduce


def _progress(scene: Scene) -> Step:
    """Finds the exercise's name, then reads its history."""
    wanted = exercise_in(scene.question)
    found = scene.called("search_exercises")
    if found is None:
        words = scene.say(f"I will look up {wanted} in the catalogue.", f"Voy a buscar {wanted} en el catálogo.")
        return Ask(words, "search_exercises", {"query": wanted})
    history = scene.called("training_history")
    if history is None:
        words = scene.say("Now your training history.", "Ahora tu historial de entrenamiento.")
        return _read_history(scene, words, _first_match(found) or wanted)
    if history.failed and history.arguments.get("exercise") != wanted:
        words = scene.say(f"Not under that name; I try {wanted}.", f"Con ese nombre no está; pruebo con {wanted}.")
        return _read_history(scene, words, wanted)
    return failure(scene, history) or sentence(progress_words(scene, history))


def _read_history(scene: Scene, words: str, exercise: str) -> Ask:
    return Ask(words, "training_history", {"exercise": exercise, "period": _period(scene)})


def _one_by_one(scene: Scene) -> Step:
    """Reads the history of one exercise a round, until all are read."""
    read = _read_so_far(scene)
    left = [name for name in EXERCISES if name not in read]
    if not left:
        heading = scene.say(f"I have looked at all {len(read)} exercises:", f"He mirado los {len(read)} ejercicios:")
        return _listed(scene, heading, read)
    place = f"{len(read) + 1}/{len(EXERCISES)}"
    words = scene.say(f"Looking at {left[0]} ({place}).", f"Miro {left[0]} ({place}).")
    return Ask(words, "training_history", {"exercise": left[0], "period": "last_90_days"})


def _estimate(scene: Scene) -> Step:
    numbers = SET.search(scene.question)
    if not numbers:
        return scene.say(
            "Tell me a set, such as 80 kg x 5, and I will estimate your one-rep max.",
            "Dime una serie, por ejemplo 80 kg x 5, y estimo tu repetición máxima.",
        )
    weight, repetitions = number(numbers[1]), int(numbers[2])
    call = scene.called("estimate_one_rep_max")
    if call is None:
        arguments = {"weight_kg": weight, "repetitions": repetitions}
        return Ask(scene.say("I will estimate it.", "Voy a estimarlo."), "estimate_one_rep_max", arguments)
    result = call.data()
    formula = str(result.get("formula", "epley")).capitalize()
    most = kilograms(result.get("one_rep_max_kg"), scene)
    done = f"{kilograms(weight, scene)} x {repetitions}"
    if "one_rep_max_kg" not in result and (left := what_is_left(scene, call)):
        return sentence(left)
    return failure(scene, call) or scene.say(
        f"With {done}, your one-rep max is about {most} ({formula}'s formula; an estimate).",
        f"Con {done}, tu repetición máxima es de unos {most} (fórmula de {formula}; es una estimación).",
    )


def _introduce(scene: Scene) -> Step:
    return scene.say(
        "I am the demo model: no real model, but the tools and the data are real. Ask me how much you progressed on "
        "bench press this month, about every exercise one by one, for the one-rep max of 80 kg x 5, to log bench press "
        "80 kg x 5, to save a goal of 100 kg on bench press, what your goals are, or tell me what you weigh.",
        "Soy el modelo de demostración: no hay un modelo real, pero las herramientas y los datos sí lo son. Pregúntame "
        "cuánto has progresado en press banca este mes, por todos los ejercicios uno a uno, por la repetición máxima "
        "de 80 kg x 5, pídeme apuntar press banca 80 kg x 5 o guardar un objetivo de 100 kg en press banca, pregúntame "
        "cuáles son tus objetivos, o dime cuánto pesas.",
    )


PLANS: tuple[tuple[str, Callable[[Scene], Step]], ...] = (
    (r"(every|each|all (of )?(my|the)) exercises?|one by one|todos (mis|los) ejercicios|cada ejercicio|uno (a|por) uno",
     _one_by_one),
    (LOGS, log_workout),
    (r"one[- ]rep|\b1 ?rm\b|repetici[oó]n m[aá]xima|m[aá]ximo", _estimate),
    (r"(save|set|add|guarda|pon|fija|crea|añade)\w*\b.*\b(goal|objetivo|meta)", save_goal),
    (r"^(?=.*\d\s*(kg|kilo))(?=.*\b(goal|objetivo|meta)\b).*\b(want|like|quiero|quisiera|gustar[ií]a)\b", save_goal),
    (r"\b(goals?|objetivos?|metas?)\b", read_goals),
    (MEASURES, record_measurement),
    (r"\bmeasure|\bmedidas?\b", read_measurements),
    (r"progres|improv|mejor|avan[zc]|how much|cu[aá]nto", _progress),
)  # fmt: skip


TO_DO = {
    "search_exercises": ("to look the exercise up, and your history of it", "buscar el ejercicio, y tu historial"),
    "training_history": ("your training history of {}", "tu historial de {}"),
    "estimate_one_rep_max": ("the estimate", "la estimación"),
    "log_workout": ("to log the workout; it is not saved", "apuntar el entrenamiento; no está guardado"),
    "record_measurement": ("to record the value; it is not saved", "apuntar el dato; no está guardado"),
    "read_measurements": ("to look at your measurements", "mirar tus medidas"),
    "save_goal": ("to save the goal; it is not saved", "guardar el objetivo; no está guardado"),
    "read_goals": ("to look at your goals", "mirar tus objetivos"),
}
"""What is left undone where a call can no longer be made."""


def _closing(scene: Scene, step: Ask) -> str:
    """Says what was found, what was left undone, and asks whether to go on: as a model does at a limit."""
    read = _read_so_far(scene)
    left = [name for name in EXERCISES if name not in read]
    if not read or _plan(scene) is not _one_by_one:
        found = _found(scene)
        so_far = scene.say(f"So far: {found}.", f"Hasta ahora: {found}.") if found else ""
        nothing = scene.say("I have found nothing yet.", "Aún no he encontrado nada.")
        to_do = _to_do(scene, step)
        return scene.say(
            f"I reached the limit of this answer. {so_far or nothing} Still to do: {to_do}. Shall I continue?",
            f"He llegado al límite de esta respuesta. {so_far or nothing} Me falta: {to_do}. ¿Quieres que continúe?",
        )
    heading = scene.say(
        f"I reached the limit of this answer after {len(read)} of {len(EXERCISES)} exercises. What I found:",
        f"He llegado al límite de esta respuesta tras {len(read)} de {len(EXERCISES)} ejercicios. Lo que he visto:",
    )
    rest = scene.say(
        f"Still to look at: {', '.join(left)}. Shall I continue?",
        f"Me falta mirar: {', '.join(left)}. ¿Quieres que continúe?",
    )
    return f"{_listed(scene, heading, read)}\n{rest}"


def _found(scene: Scene) -> str:
    """Says what the calls that ran have shown."""
    found = scene.called("search_exercises")
    name = _first_match(found) if found else ""
    catalogue = scene.say(f"the catalogue calls it {name}", f"en el catálogo se llama {name}") if name else ""
    read = [progress_words(scene, call) for call in _read_so_far(scene).values()]
    return "; ".join(part for part in (catalogue, *read) if part)


def _to_do(scene: Scene, step: Ask) -> str:
    english, spanish = TO_DO[step.name]
    exercise = step.arguments.get("exercise", "")
    return scene.say(english.format(exercise), spanish.format(exercise))


def _read_so_far(scene: Scene) -> dict[str, Call]:
    done = [call for call in scene.calls if call.name == "training_history" and call.done]
    return {str(call.arguments.get("exercise")): call for call in done}


def _listed(scene: Scene, heading: str, read: dict[str, Call]) -> str:
    return "\n".join([heading, *(f"- {name}: {progress_words(scene, call)}" for name, call in read.items())])


def _first_match(found: Call) -> str:
    matches = objects_in(found.data().get("exercises"))
    return str(matches[0].get("name", "")) if matches else ""


def _period(scene: Scene) -> str:
    said = PERIOD.search(scene.question) or PERIOD.search(scene.topic)
    return "this_week" if said and said[1] else "this_month"


def _text(words: str) -> Json:
    return {"type": "text", "text": words}
