"""The figures as a person reads them: all of them, and the few that the README shows."""

from bench.lineup import FLOOR, HAND_WRITTEN, NAMES
from bench.markdown import cell, figure, ratio, table
from bench.outcomes import outcomes
from bench.worker import Json

COMMAND = "make bench"

BUSY = 0.5
"""Processes at work or waiting in the minute before: from here on they disturb, wall times above all."""


def report(results: Json) -> str:
    """Returns all tables, of the phases that were run."""
    parts = {"warm": warm, "cold": cold, "store": store, "context": context}
    sections = [part(results[phase]) for phase, part in parts.items() if phase in results]
    if any(phase in results for phase in ("limit", "crash", "double")):
        sections.append(outcomes(results))
    picture = "![The figures beside each other](bench.svg)\n" if can_summarise(results) else ""
    return "\n".join(["# Side by side\n", about(results["about"]), picture, *sections, versions(results["about"])])


def can_summarise(results: Json) -> bool:
    """Whether all phases are there that the README's table is made of."""
    return all(phase in results for phase in ("warm", "cold", "store", "crash", "double"))


def summary(results: Json) -> str:
    """Returns the README's table and where it comes from."""
    head = [
        "a message with ten rounds of tools",
        "CPU ms",
        "to the SDK loop",
        "start to ready, ms",
        "DynamoDB requests",
        "write units",
        "model calls after a kill in round 5",
        "model calls when sent twice",
    ]
    rows = [
        [
            NAMES[name],
            figure(_warm(results["warm"], name, "cpu_ms")),
            ratio(_warm(results["warm"], name, "cpu_ms"), _warm(results["warm"], HAND_WRITTEN, "cpu_ms")),
            figure(results["cold"]["peers"][name]["ready_ms"]),
            figure(results["store"][name]["100"].get("requests")),
            figure(results["store"][name]["100"].get("write_units")),
            figure(results["crash"][name]["same"]["model_calls"]),
            figure(results["double"][name]["model_calls"]),
        ]
        for name in results["store"]
    ]
    return f"{table(head, rows)}\n{about(results['about'])}"


def about(facts: Json) -> str:
    """Returns where and how the figures came about."""
    few = ", with few repeats" if facts["quick"] else ""
    busy = f", busy with other work (load {facts['load']})" if facts["load"] >= BUSY else ""
    rondas = _listed(facts["versions"]["rondas"])
    return f"`{COMMAND}`{few}, {facts['date']}: {facts['machine']}{busy}; Python {facts['python']}, {rondas}.\n"


def _warm(warm: Json, name: str, key: str, rounds: str = "10") -> float | None:
    return warm.get(name, {}).get(rounds, {}).get(key)


def warm(figures: Json) -> str:
    """Returns the section of warm messages."""
    rounds = list(next(iter(figures.values())))
    parts: list[str] = []
    for key, title in (("cpu_ms", "Processor"), ("wall_ms", "Wall")):
        head = [
            f"{title}, ms",
            *(f"{n} {'round' if n == '1' else 'rounds'}" for n in rounds),
            "10 rounds, to the SDK loop",
            "to raw HTTP",
        ]
        rows = [
            [
                NAMES[name],
                *(figure(_warm(figures, name, key, n)) for n in rounds),
                ratio(_warm(figures, name, key), _warm(figures, HAND_WRITTEN, key)),
                ratio(_warm(figures, name, key), _warm(figures, FLOOR, key)),
            ]
            for name in figures
        ]
        parts.append(table(head, rows))
    text = (
        "Medians of a message in a process that has answered some, by the rounds of tools it takes. The processor's"
        " time is the peer's alone; the wall's holds that of DynamoDB Local, which is slower than DynamoDB.\n"
    )
    return "\n".join(["## Warm message\n", text, *parts])


def cold(figures: Json) -> str:
    """Returns the section of starts."""
    head = ["start, ms", "ready", "its CPU", "answered one round", "resident MB"]
    rows = [
        [NAMES[name], *(figure(one[key]) for key in ("ready_ms", "ready_cpu_ms", "answered_ms", "rss_mb"))]
        for name, one in figures["peers"].items()
    ]
    text = "Medians of new processes; bytecode compiled, files in the system's cache.\n"
    parts = ["## Start\n", text, table(head, rows)]
    if figures["functions"]:
        head = ["function of Rondas, as deployed", "ready, ms", "what it cannot do without", "ratio", "ratio of CPU"]
        rows = [_beside(name, one, figures["imports"][name]) for name, one in figures["functions"].items()]
        parts += ["What a function cannot do without: boto3, pydantic and its SDK, imported, and their clients made.\n"]
        parts += [table(head, rows), "What the start of the chat function with Claude imports, its own time:\n"]
        parts.append(table(["package", "ms"], [[name, figure(ms)] for name, ms in figures["import_tree"].items()]))
    return "\n".join(parts)


def _beside(name: str, one: Json, bare: Json) -> list[str]:
    ratios = [ratio(one[key], bare[key], digits=2) for key in ("ready_ms", "ready_cpu_ms")]
    return [name, figure(one["ready_ms"]), figure(bare["ready_ms"]), *ratios]


def store(figures: Json) -> str:
    """Returns the section of what is asked of DynamoDB."""
    sizes = list(next(iter(figures.values())))
    titles = {
        "requests": "requests",
        "write_units": "write units",
        "read_units": "read units",
        "bytes_sent": "bytes sent",
        "bytes_received": "bytes received",
        "model_bytes": "bytes of the last model request",
    }
    parts = ["## DynamoDB\n", "A message with ten rounds of tools, by the entries that the conversation holds.\n"]
    for key, title in titles.items():
        head = [title, *(f"{int(size):,}".replace(",", " ") for size in sizes)]
        rows = [[NAMES[name], *(_stored(by_size[size], key) for size in sizes)] for name, by_size in figures.items()]
        parts.append(table(head, rows))
    errors = {
        f"{NAMES[name]}, {size} entries: {cell(one['error'], 300)}"
        for name, by_size in figures.items()
        for size, one in by_size.items()
        if "error" in one
    }
    return "\n".join([*parts, *(f"- {error}" for error in sorted(errors))]) + "\n"


def _stored(one: Json, key: str) -> str:
    return "fails" if "error" in one else figure(one[key])


def context(figures: Json) -> str:
    """Returns the section of what the model is sent."""
    numbers = list(max((one["messages"] for one in figures.values()), key=len))
    head = ["tokens sent for message", *numbers, "all", "same beginning", "asks for caching", "paid as"]
    rows = [
        [
            NAMES[name],
            *(figure(one["messages"].get(number, {}).get("tokens")) for number in numbers),
            figure(one["tokens"]),
            f"{100 * one['cached_share']:.0f} %",
            "yes" if one["asks_for_caching"] else "no",
            figure(one["paid_tokens"]),
        ]
        for name, one in figures.items()
    ]
    text = (
        "Each message takes two rounds of tools with 3 000 characters each; a token is estimated as three bytes. The"
        " beginning that a request shares with the one before may come from the provider's cache, at a tenth of the"
        " price, where that is asked for.\n"
    )
    gave_up = [
        f"- {NAMES[name]} gives up after {one['answered']} messages: {cell(one['error'], 300)}"
        for name, one in figures.items()
        if "error" in one
    ]
    return "\n".join(["## Context\n", text, table(head, rows), *gave_up]) + "\n"


def versions(facts: Json) -> str:
    """Returns the versions of the packages that matter."""
    lines = [f"- {name}: {_listed(found)}" for name, found in facts["versions"].items()]
    return "\n".join(["## Versions\n", *lines]) + "\n"


def _listed(found: Json) -> str:
    return ", ".join(f"{package} {version}" for package, version in found.items())
