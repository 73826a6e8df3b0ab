"""What the local runner needs of `template.yaml`: tables, functions, routes and their limits, read and not repeated.

Only as much of SAM is understood as this repository's template uses; values that exist in the cloud alone (ARNs of
other resources) are left out rather than guessed.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from local.json_values import Json, object_in

ROOT = Path(__file__).resolve().parents[2]
"""The top of the repository."""

TEMPLATE = ROOT / "template.yaml"

DEFAULT_TIMEOUT_SECONDS = 3.0  # Lambda's own
DEFAULT_MEMORY_MB = 128  # Lambda's own
DEFAULT_ROUTE_TIMEOUT_SECONDS = 30.0  # an HTTP API's own, and its most
MOST_AT_ONCE = 10  # where the template says nothing, fewer than Lambda's own, for this is one machine


class TemplateError(Exception):
    """The template cannot be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Route:
    """A route of the HTTP API.

    Attributes:
        method: in capitals; `ANY` stands for all.
        path: with `{name}` for a segment and `{name+}` for the rest.
        function: the logical id of the function behind it.
        timeout: seconds after which the gateway gives up on the function.
        protected: whether the authorizer stands before it.
    """

    method: str
    path: str
    function: str
    timeout: float
    protected: bool

    @property
    def key(self) -> str:
        """The `routeKey` of its events."""
        return f"{self.method} {self.path}"


@dataclass(frozen=True, slots=True)
class Function:
    """A function as Lambda would run it; `environment` holds only what is known without a deployment."""

    name: str
    code: Path
    handler: str
    timeout: float
    memory: int
    environment: Mapping[str, str]

    def to_json(self) -> str:
        """Returns it as text for another process, without its environment, which goes there as such."""
        return json.dumps(asdict(self) | {"code": str(self.code), "environment": {}})

    @classmethod
    def from_json(cls, text: str) -> "Function":
        """Reads what `to_json` wrote."""
        known: Json = json.loads(text)
        known["code"] = Path(known["code"])
        return cls(**known)


@dataclass(frozen=True, slots=True)
class Table:
    """A DynamoDB table.

    Attributes:
        name: its logical id.
        variable: the environment variable that tells the functions its real name; empty if none does.
        definition: keys, attributes and indexes, as `CreateTable` takes them.
    """

    name: str
    variable: str
    definition: Json


@dataclass(frozen=True, slots=True)
class Queue:
    """An SQS queue.

    Attributes:
        name: its logical id.
        variable: the environment variable that tells the functions its address; empty if none does.
        attributes: as `CreateQueue` takes them, without the redrive policy.
        dead_letters: the logical id of the queue for what was delivered too often; empty if there is none.
        deliveries: how often that is.
    """

    name: str
    variable: str
    attributes: Mapping[str, str]
    dead_letters: str
    deliveries: int


@dataclass(frozen=True, slots=True)
class Source:
    """A queue that Lambda reads for a function, as many messages at once as `most` says. Batches are of one message."""

    queue: str
    function: str
    most: int


@dataclass(frozen=True, slots=True)
class Template:
    """All of it."""

    functions: Mapping[str, Function]
    routes: tuple[Route, ...]
    tables: tuple[Table, ...]
    queues: tuple[Queue, ...] = ()
    sources: tuple[Source, ...] = ()

    @classmethod
    def read(cls, path: Path = TEMPLATE) -> "Template":
        """Reads a SAM template.

        Raises:
            TemplateError: there is no such file, or it is no template.
        """
        try:
            document = yaml.load(path.read_text(encoding="utf-8"), _Loader)
        except OSError as error:
            raise TemplateError(f"cannot read {path}: {error.strerror}") from None
        except yaml.YAMLError as error:
            raise TemplateError(f"{path} is not valid YAML: {error}") from None
        if not isinstance(document, dict) or not isinstance(cast("Json", document).get("Resources"), dict):
            raise TemplateError(f"{path} has no Resources")
        return _Reader(cast("Json", document), path.resolve().parent).template()


class _Loader(yaml.SafeLoader):
    """Reads `!Ref x` as `{"Ref": "x"}` and `!Sub x` as `{"Fn::Sub": "x"}`."""


def _intrinsic(loader: _Loader, tag: str, node: yaml.Node) -> Json:
    name = tag if tag in {"Ref", "Condition"} else f"Fn::{tag}"
    if isinstance(node, yaml.ScalarNode):
        return {name: loader.construct_scalar(node)}
    if isinstance(node, yaml.SequenceNode):
        return {name: loader.construct_sequence(node, deep=True)}
    return {name: loader.construct_mapping(cast("yaml.MappingNode", node), deep=True)}


_Loader.add_multi_constructor("!", _intrinsic)  # pyright: ignore[reportUnknownMemberType]


class _Reader:
    def __init__(self, document: Json, folder: Path) -> None:
        self._resources: dict[str, Json] = document["Resources"]
        self._globals: Json = document.get("Globals", {}).get("Function", {})
        self._folder = folder
        self._parameters = {
            name: str(parameter["Default"])
            for name, parameter in document.get("Parameters", {}).items()
            if "Default" in parameter
        }

    def template(self) -> Template:
        functions = {name: self._function(name, found) for name, found in self._of("AWS::Serverless::Function")}
        routes = [route for name, found in self._of("AWS::Serverless::Function") for route in self._routes(name, found)]
        tables = [self._table(name, found) for name, found in self._of("AWS::DynamoDB::Table")]
        queues = [self._queue(name, found) for name, found in self._of("AWS::SQS::Queue")]
        sources = [
            source for name, found in self._of("AWS::Serverless::Function") for source in self._sources(name, found)
        ]
        return Template(functions, tuple(routes), tuple(tables), tuple(queues), tuple(sources))

    def _of(self, kind: str) -> list[tuple[str, Json]]:
        return [
            (name, resource.get("Properties", {}))
            for name, resource in self._resources.items()
            if resource.get("Type") == kind
        ]

    def _function(self, name: str, found: Json) -> Function:
        merged = self._globals | found
        return Function(
            name,
            self._folder / str(merged.get("CodeUri", ".")),
            str(merged.get("Handler", "app.handler")),
            float(self._known(merged.get("Timeout")) or DEFAULT_TIMEOUT_SECONDS),
            int(self._known(merged.get("MemorySize")) or DEFAULT_MEMORY_MB),
            self._environment(found),
        )

    def _environment(self, found: Json) -> dict[str, str]:
        known = {name: self._known(value) for name, value in self._variables(found).items()}
        return {name: value for name, value in known.items() if value is not None}

    def _variables(self, found: Json) -> Json:
        return _variables(self._globals) | _variables(found)

    def _routes(self, name: str, found: Json) -> list[Route]:
        events = [event["Properties"] for event in found.get("Events", {}).values() if event.get("Type") == "HttpApi"]
        return [self._route(name, event) for event in events]

    def _route(self, function: str, event: Json) -> Route:
        milliseconds = self._known(event.get("TimeoutInMillis"))
        seconds = float(milliseconds) / 1000 if milliseconds else DEFAULT_ROUTE_TIMEOUT_SECONDS
        protected = event.get("Auth", {}).get("Authorizer") != "NONE"
        return Route(str(event["Method"]).upper(), str(event["Path"]), function, seconds, protected)

    def _table(self, name: str, found: Json) -> Table:
        kept = ("KeySchema", "AttributeDefinitions", "GlobalSecondaryIndexes", "LocalSecondaryIndexes")
        definition = {key: found[key] for key in kept if key in found}
        return Table(name, self._variable_of(name), definition | {"BillingMode": "PAY_PER_REQUEST"})

    def _queue(self, name: str, found: Json) -> Queue:
        kept = ("FifoQueue", "VisibilityTimeout", "MessageRetentionPeriod")
        attributes = {key: value for key in kept if (value := self._known(found.get(key))) is not None}
        redrive = found.get("RedrivePolicy", {})
        dead_letters = _resource_of(redrive.get("deadLetterTargetArn"))
        return Queue(name, self._variable_of(name), attributes, dead_letters, int(redrive.get("maxReceiveCount", 0)))

    def _sources(self, function: str, found: Json) -> list[Source]:
        events = [event["Properties"] for event in found.get("Events", {}).values() if event.get("Type") == "SQS"]
        return [
            Source(
                _resource_of(event["Queue"]),
                function,
                int(self._known(event.get("ScalingConfig", {}).get("MaximumConcurrency")) or MOST_AT_ONCE),
            )
            for event in events
        ]

    def _variable_of(self, resource: str) -> str:
        """Returns the variable through which some function is told a table's name, or a queue's address."""
        for _, found in self._of("AWS::Serverless::Function"):
            for variable, value in self._variables(found).items():
                if value == {"Ref": resource}:
                    return variable
        return ""

    def _known(self, value: Any) -> str | None:
        """Returns a value as text, parameters replaced by their defaults; None where only the cloud knows it."""
        if not isinstance(value, dict):
            return None if value is None else _text(value)
        name, argument = next(iter(cast("Json", value).items()))
        if name == "Ref":
            return self._parameters.get(str(argument))
        if name == "Fn::Sub" and isinstance(argument, str):
            return self._substituted(argument)
        return None

    def _substituted(self, text: str) -> str | None:
        names = set(re.findall(r"\$\{([^!}]+)\}", text))
        if names - self._parameters.keys():
            return None
        return re.sub(r"\$\{([^!}]+)\}", lambda found: self._parameters[found[1]], text)


def _resource_of(value: Any) -> str:
    """Returns the logical id in `!GetAtt Name.Arn`."""
    return str(object_in(value).get("Fn::GetAtt", "")).removesuffix(".Arn")


def _variables(found: Json) -> Json:
    return found.get("Environment", {}).get("Variables", {})


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
