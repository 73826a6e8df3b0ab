"""How the demo model puts the tools' results into words."""

from typing import Any

from local.demo_scene import Call, Scene
from local.json_values import Json, object_in, objects_in

READABLE = 80
"""Characters of a result that are shown as they are where nothing in it is whole."""


def progress_words(scene: Scene, history: Call) -> str:
    """Says what a training history shows about one exercise, and nothing it does not show."""
    if history.failed:
        return scene.say("no sessions on record", "no hay sesiones registradas")
    data = history.data()
    if progress := object_in(data.get("progress")):
        return _change(scene, progress) + rest_words(scene, history)
    if sessions := objects_in(data.get("sessions")):
        return _last_session(scene, sessions[0]) + rest_words(scene, history)
    return str(data.get("note") or what_is_left(scene, history) or scene.say("seen earlier", "ya consultado"))


def rest_words(scene: Scene, call: Call) -> str:
    """Admits that there was more to read than could be read; empty where there was not."""
    return scene.say(" (the rest was cut off)", " (el resto llegó cortado)") if call.was_cut else ""


def what_is_left(scene: Scene, call: Call) -> str:
    """Says what could be read of a result that was cut too short to answer with; empty for a whole one."""
    if not call.was_cut:
        return ""
    members = [f"{name}: {value}" for name, value in call.data().items() if isinstance(value, str | int | float)]
    beginning = ", ".join(members) or call.result[:READABLE].strip() or "-"
    return scene.say(
        f"the result was cut off; what could be read is {beginning}",
        f"el resultado llegó cortado; lo que se puede leer es {beginning}",
    )


def goal_words(goal: Json, scene: Scene) -> str:
    """Says a goal in one phrase."""
    repetitions = goal.get("repetitions") or 1
    times = f" x {repetitions}" if repetitions != 1 else ""
    by = scene.say(f" by {goal['by']}", f" para el {goal['by']}") if goal.get("by") else ""
    at = scene.say("on", "en")
    return f"{kilograms(goal.get('target_weight_kg'), scene)}{times} {at} {goal.get('exercise', '?')}{by}"


def kilograms(value: Any, scene: Scene) -> str:
    """Writes a weight as people do: 82.5 kg, and 82,5 kg in Spanish."""
    return f"{figure(value, scene)} kg"


def _change(scene: Scene, progress: Json) -> str:
    change, percent = progress.get("change_kg"), progress.get("change_percent")
    start = f"{kilograms(progress.get('start_1rm_kg'), scene)} ({progress.get('start_date')})"
    best = f"{kilograms(progress.get('best_1rm_kg'), scene)} ({progress.get('best_date')})"
    gain = f"{_signed(change, scene)} kg, {_signed(percent, scene)} %"
    exercise = progress.get("exercise")
    return scene.say(
        f"your estimated one-rep max on {exercise} went from {start} to {best}: {gain}",
        f"tu repetición máxima estimada en {exercise} ha pasado de {start} a {best}: {gain}",
    )


def _last_session(scene: Scene, session: Json) -> str:
    on = session.get("date")
    return scene.say(f"last session {on}: {session.get('top_set')}", f"última sesión {on}: {session.get('top_set')}")


def _signed(value: Any, scene: Scene) -> str:
    sign = "+" if isinstance(value, int | float) and value > 0 else ""
    return f"{sign}{figure(value, scene)}"


def figure(value: Any, scene: Scene) -> str:
    """Writes a number with the decimal mark of the person's language."""
    text = f"{value:g}" if isinstance(value, int | float) else "?"
    return text.replace(".", ",") if scene.spanish else text
