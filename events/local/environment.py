"""Sets up what a function finds in its environment in the cloud: tables, a model, credentials, sample data.

What is set already stays as it is; an empty variable counts as not set, as in the functions' own settings.
"""

import os
import re
import sys
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from local.engine import DEFAULT_NAMES, Engine, create_tables, table_name
from local.queues import create_queues, start_engines
from local.start_errors import init_error
from local.template import ROOT, Function, Template

PERSON = "demo"
"""The `sub` of the sample events, of `make token` and of the sample data."""

DEFAULT_MODELS = "anthropic:claude-sonnet-5-5"
DEFAULT_REGION = "eu-west-1"
LOOPBACK = ("127.0.0.1", "localhost")
MODELS = re.compile(r"[a-z]+:[^\s,]+(\s*,\s*[a-z]+:[^\s,]+)*")

PROVIDERS = {
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
    "openai": ("OPENAI_API_KEY", "OPENAI_BASE_URL"),
    "google": ("GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"),
}
"""Of each provider, the variables of its key and of its server."""


@contextmanager
def prepared(template: Template, *, names_models: bool = False) -> Generator[None]:
    """Prepares this process's environment, and ends at the end what was started for it.

    The first line of output says so when no real model answers; and, where that is wanted, which real ones do.

    Raises:
        EngineError: the DynamoDB engine cannot be used.
        InitError: the coach cannot be imported.
    """
    with ExitStack() as started:
        _allow_loopback()
        _choose_model(started, names_models=names_models)
        _set_aws()
        _start_engine(template, started)
        if template.queues:
            start_engines(started)
            create_queues(template.queues)
        yield


def of_function(function: Function) -> dict[str, str]:
    """Returns the variables the template gives a function, without those that are set here already."""
    return {name: value for name, value in function.environment.items() if not os.environ.get(name)}


def of_slot(function: Function) -> dict[str, str]:
    """Returns the environment of a function's process: this one's, with what the template and Lambda add to it."""
    path = [str(ROOT / "events"), str(ROOT / "layers" / "rondas"), os.environ.get("PYTHONPATH", "")]
    return {
        **os.environ,
        **of_function(function),
        "PYTHONPATH": os.pathsep.join(part for part in path if part),
        "PYTHONUNBUFFERED": "1",
        "AWS_LAMBDA_FUNCTION_NAME": function.name,
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(function.memory),
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
    }


def make_importable(code: Path) -> None:
    """Lets a function's modules be imported as in the cloud: its own folder first, then the harness."""
    for folder in (ROOT / "layers" / "rondas", code):
        sys.path[:] = [str(folder), *(known for known in sys.path if known != str(folder))]


def set_defaults(values: Mapping[str, str]) -> None:
    """Sets the variables that are not set."""
    for name, value in values.items():
        if not os.environ.get(name):
            os.environ[name] = value


def _allow_loopback() -> None:
    """Keeps a proxy in the environment from being asked for the servers of this machine."""
    for variable in ("NO_PROXY", "no_proxy"):
        hosts = [host for host in os.environ.get(variable, "").split(",") if host]
        os.environ[variable] = ",".join(hosts + [host for host in LOOPBACK if host not in hosts])


def _choose_model(started: ExitStack, *, names_models: bool) -> None:
    """Lets the demo model answer where nobody else could; what is wrong otherwise is for the function to name."""
    set_defaults({"MODELS": DEFAULT_MODELS})
    wanted = _providers(os.environ["MODELS"])
    with_secret = bool(os.environ.get("API_KEYS_SECRET_ARN"))
    if not with_secret and wanted and not any(os.environ.get(key) or os.environ.get(url) for key, url in wanted):
        _use_demo_model(" or ".join(dict.fromkeys(key for key, _ in wanted)), started)
        return
    if not with_secret:  # a recording or fake server: the SDK wants a key, the server does not care
        set_defaults({key: "local" for key, url in wanted if os.environ.get(url)})
    if names_models and wanted and (with_secret or all(os.environ.get(key) for key, _ in wanted)):
        print(f"Models: {os.environ['MODELS']}", flush=True)


def _providers(models: str) -> list[tuple[str, str]]:
    """Returns the variables of each provider that MODELS names; none where the value is not one the function takes."""
    names = [model.strip().partition(":")[0] for model in models.split(",")]
    taken = MODELS.fullmatch(models) and PROVIDERS.keys() >= set(names)
    return [PROVIDERS[name] for name in names] if taken else []


def _use_demo_model(missing: str, started: ExitStack) -> None:
    from local.demo_model import DemoModel  # noqa: PLC0415 - only who has no key pays for it

    demo = DemoModel()
    started.callback(demo.stop)
    os.environ.update(ANTHROPIC_BASE_URL=demo.url, ANTHROPIC_API_KEY="demo", MODELS="anthropic:demo")
    print(f"No {missing}: answering with the demo model server at {demo.url} (no real model).", flush=True)


def _set_aws() -> None:
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or DEFAULT_REGION
    set_defaults({"AWS_REGION": region, "AWS_DEFAULT_REGION": region, "AWS_EC2_METADATA_DISABLED": "true"})
    set_defaults({"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"})


def _start_engine(template: Template, started: ExitStack) -> None:
    names = {table.variable: table_name(table) for table in template.tables if table.variable}
    set_defaults(DEFAULT_NAMES | names)
    if not template.tables:
        return
    if not os.environ.get("AWS_ENDPOINT_URL_DYNAMODB"):
        engine = Engine()
        started.callback(engine.stop)
        os.environ["AWS_ENDPOINT_URL_DYNAMODB"] = engine.url
    create_tables(template.tables)
    if "COACH_TABLE_NAME" in names:
        _load_sample(template)


def _load_sample(template: Template) -> None:
    code = next((found.code for found in template.functions.values() if (found.code / "coach").is_dir()), ROOT)
    if code != ROOT:
        make_importable(code)
    try:
        from local.sample import load_sample  # noqa: PLC0415 - imports the coach, which only now can be found

        load_sample(PERSON, datetime.now(UTC).date())
    except ModuleNotFoundError as error:
        if error.name != "coach.workouts":  # an app of one's own has no workouts to load
            raise init_error(error, code) from error
    except Exception as error:
        raise init_error(error, code) from error
