"""One tool, told to all three services: whatever its arguments are, each of them takes the schema."""

import datetime as dt
import json
import uuid
from collections.abc import Iterator
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Annotated, Any, Literal

import pytest
from fakes.schemas import anthropic_problem, google_problem, nodes, openai_problem
from fakes.server import ModelServer, serving
from fakes.services import SERVICES, Service
from pydantic import BaseModel, Field

from rondas.history import ToolCall, UserMessage
from rondas.providers import connect
from rondas.providers.strict_mode import fits_strict_mode
from rondas.toolbox import Toolbox
from rondas.tools import Arguments, Tool, ToolContext, tool

type Json = dict[str, Any]


class Muscle(StrEnum):
    CHEST = "chest"
    BACK = "back"


class Rating(Enum):
    """How it felt."""

    EASY = 1
    HARD = 2


class Barbell(Arguments):
    kind: Literal["barbell"]
    weight_kg: float = Field(gt=0, le=1000, multiple_of=0.25)


class Band(Arguments):
    kind: Literal["band"]
    color: Literal["red", "black"] | None


class WorkoutSet(Arguments):
    """One set."""

    load: Annotated[Barbell | Band, Field(discriminator="kind")] = Field(description="What was moved.")
    repetitions: Annotated[int, Field(ge=1, le=100)]


class Everything(Arguments):
    """All that arguments may be."""

    sets: list[WorkoutSet] = Field(min_length=1, max_length=20, description="The sets, in order.")
    warm_up: WorkoutSet | None = Field(None, description="A set before the others.")
    main: Muscle = Field(Muscle.CHEST, description="The main muscle.")
    others: set[Muscle] = Field(default_factory=set[Muscle])
    rating: Rating | None = None
    amount: int | float | str = Field(1, description="How much, in any words.")
    on: dt.date
    at: dt.datetime | None = None
    rest: dt.timedelta | None = None
    price: Decimal = Decimal("1.5")
    session: uuid.UUID | None = None
    code: str = Field("ab", pattern=r"^[a-z]+$", min_length=2)
    notes: dict[str, str] = Field(default_factory=dict[str, str])
    by_muscle: dict[Muscle, WorkoutSet] = Field(default_factory=dict[Muscle, WorkoutSet])
    anything: Any = None
    many: list[Any] = Field(default_factory=list[Any])
    title: str = Field("", description="A field that is called like a keyword.")
    default: bool = False
    nested: dict[str, list[WorkoutSet | Muscle]] = Field(default_factory=dict[str, list[WorkoutSet | Muscle]])


class Closed(Arguments):
    """What OpenAI can hold the model to."""

    loads: list[Barbell] = Field(max_length=20)
    one: Literal["only"]
    main: Muscle = Field(description="The main muscle.")
    rating: Rating | None


class Load(Arguments):
    """Loads that begin alike, which OpenAI cannot tell apart."""

    load: Barbell | Band


class Seen(BaseModel):
    text: str


@tool
def record(arguments: Everything) -> Seen:
    """Records everything."""
    return Seen(text=f"{len(arguments.sets)} sets")


@tool
def record_closed(arguments: Closed) -> Seen:
    """Records what is closed."""
    return Seen(text=arguments.one)


@tool
def record_load(arguments: Load) -> Seen:
    """Records a load."""
    return Seen(text=arguments.load.kind)


TOOLS = [record, record_closed, record_load]

ARGUMENTS: Json = {
    "sets": [{"load": {"kind": "barbell", "weight_kg": 82.5}, "repetitions": 5}],
    "rating": 2,
    "on": "2026-01-02",
    "by_muscle": {"back": {"load": {"kind": "band", "color": None}, "repetitions": 9}},
}


@pytest.fixture(params=SERVICES, ids=lambda service: service.model)
def service(request: pytest.FixtureRequest) -> Service:
    return request.param


@pytest.fixture
def server(service: Service, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving(service.start()) as server:
        monkeypatch.setenv(service.base_url[0], server.url + service.base_url[1])
        yield server
        server.check_used_up()


def test_every_kind_of_argument_is_taken_by_every_service(service: Service, server: ModelServer) -> None:
    # Given tools with nested models, enums, unions, dates, dicts, and a model that calls the first one
    server.add(service.turn("", [("call_1", "record", ARGUMENTS)]))
    model = connect(service.model, lambda _: "key", prompt="You coach.", tools=TOOLS, max_output_tokens=500)
    # When it is asked over HTTP
    turn = model.turn([UserMessage("I trained.")], seconds=5)
    # Then the service takes the schemas, and the call does what it says
    done = Toolbox(TOOLS).run(turn.calls[0], ToolContext("ana", "key", 5))
    assert done.text == '{"text":"1 sets"}'


def test_every_request_declares_the_tools_in_the_same_words(service: Service, server: ModelServer) -> None:
    # Given two instances of a service's model; when both ask
    server.add(service.turn("Hello.", []), service.turn("Hello.", []))
    for _ in range(2):
        model = connect(service.model, lambda _: "key", prompt="You coach.", tools=TOOLS, max_output_tokens=500)
        model.turn([UserMessage("Hi.")], seconds=5)
    # Then the declarations are the same to the letter, as prompt caches need them
    first, second = (json.dumps(service.tools(body)) for body in server.bodies)
    assert first == second


def test_openai_is_held_to_what_it_can_hold_the_model_to() -> None:
    # Given the three tools; when it is decided which are strict, then only the one that qualifies is
    assert [fits_strict_mode(each.schema()) for each in TOOLS] == [False, True, False]


@pytest.mark.parametrize("each", TOOLS, ids=lambda each: each.name)
def test_a_schema_holds_nothing_that_some_service_refuses(each: Tool) -> None:
    schema = each.schema()
    assert [anthropic_problem(schema), google_problem(schema), openai_problem(schema, strict=False)] == [None] * 3
    used = {keyword for node in nodes(schema) for keyword in node}
    assert used.isdisjoint({"$ref", "$defs", "oneOf", "const", "discriminator", "prefixItems"})


REFUSED: list[tuple[Json, str]] = [
    ({"anyOf": [{"type": "object"}]}, "anthropic openai google"),
    ({"type": "object", "anyOf": [{"required": ["a"]}]}, "anthropic openai"),
    ({"type": "object", "properties": {"a": {"type": "nonsense"}}}, "anthropic openai google"),
    ({"type": "object", "properties": {"con espacio": {}}}, "anthropic"),
    ({"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {}}}, "anthropic"),
    ({"type": "object", "properties": {"a": {"$ref": "#/$defs/A", "description": "b"}}}, "anthropic google"),
    ({"type": "object", "properties": {"a": {"type": "array"}}}, "openai"),
    ({"type": "object", "properties": {"a": {"type": "array", "prefixItems": [{}]}}}, "openai"),
    ({"type": "object", "properties": {"a": {"const": "b"}}}, "google"),
]


@pytest.mark.parametrize(("schema", "by"), REFUSED)
def test_the_fakes_refuse_what_the_services_refuse(schema: Json, by: str) -> None:
    """Otherwise the tests above would prove nothing."""
    problems = {
        "anthropic": anthropic_problem(schema),
        "openai": openai_problem(schema, strict=False),
        "google": google_problem(schema),
    }
    assert [name for name, problem in problems.items() if problem] == by.split()


def closed(**properties: Json) -> Json:
    return {"type": "object", "additionalProperties": False, "properties": properties, "required": [*properties]}


NOT_STRICT: list[tuple[Json, str]] = [
    (closed(a={"type": "string", "default": "b"}), "'default' is not permitted"),
    (closed(a={"type": "string", "minLength": 2}), "'minLength' is not permitted"),
    (closed(a={"oneOf": [{"type": "string"}]}), "'oneOf' is not permitted"),
    (closed(a={"$ref": "#/$defs/A", "description": "b"}), "$ref cannot have keywords"),
    (closed(a={"type": "string", "pattern": "(?=a)"}), "lookarounds"),
    (closed(a={"description": "anything"}), "must have a 'type' key"),
    (closed(a={"anyOf": [closed(b={"type": "string"}), closed(b={"type": "null"})]}), "identical first keys"),
]


@pytest.mark.parametrize(("schema", "problem"), NOT_STRICT)
def test_the_fake_of_openai_refuses_what_strict_mode_refuses(schema: Json, problem: str) -> None:
    assert problem in (openai_problem(schema, strict=True) or "")


def test_a_call_is_checked_against_all_that_was_left_out_of_the_schema() -> None:
    # Given what the schema does not say: the pattern of a Decimal, which looks around
    wrong = ARGUMENTS | {"price": "1.5.5"}
    # When the model calls with it, then it is told all the same
    done = Toolbox(TOOLS).run(ToolCall("id", "record", json.dumps(wrong)), ToolContext("ana", "key", 5))
    assert done.outcome == "failed"
    assert "price: Input should be a valid decimal" in done.text
