"""template.yaml keeps what the design promises: the timeout ladder, least privilege, data that is hard to lose."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from rondas.agent import QUEUE_SECONDS
from rondas.budget import STORE_RESERVE_SECONDS
from rondas.history import Answer, ToolCall, ToolResult
from rondas.http.resolver import problem_resolver, resolve
from rondas.prices import PATTERN
from rondas.settings import Settings
from rondas.store.allowance import QuotaExceeded
from rondas.store.claim import Message
from rondas.store.reading import BY_ACTIVITY
from rondas.telemetry import Telemetry

ROOT = Path(__file__).resolve().parents[2]

SETTINGS = {
    "TABLE_NAME",
    "COACH_TABLE_NAME",
    "MODELS",
    "MAX_TOOL_ROUNDS",
    "TIME_BUDGET_SECONDS",
    "CLOSING_RESERVE_SECONDS",
    "MAX_OUTPUT_TOKENS",
    "CONTEXT_TOKEN_BUDGET",
    "TOOL_RESULT_MAX_CHARS",
    "DAILY_TOKEN_QUOTA",
    "MAX_RUNS_PER_PERSON",
    "WEB_PAGES",
    "MODEL_PRICES",
    "QUEUE_URL",
    "WORKER_TIME_BUDGET_SECONDS",
    "WORKER_MAX_TOOL_ROUNDS",
    "POWERTOOLS_METRICS_NAMESPACE",
    "API_KEYS_SECRET_ARN",
}
"""The settings that make sense in AWS; the providers' keys themselves are not among them."""

ROUTES = {
    "POST /conversations/{conversation_id}/messages",
    "GET /conversations/{conversation_id}/messages",
    "GET /conversations",
    "DELETE /conversations/{conversation_id}",
    "GET /conversations/{conversation_id}/messages/{message_id}",
    "DELETE /conversations/{conversation_id}/messages/{message_id}",
}

ROLES = ("ChatRole", "WorkerRole", "DeadLettersRole")
BUS = "arn:${AWS::Partition}:events:${AWS::Region}:${AWS::AccountId}:event-bus/default"

type Json = dict[str, Any]


class _Loader(yaml.SafeLoader):
    """Reads `!Ref x` as `{"Ref": "x"}`, `!If [a, b, c]` as `{"If": ["a", "b", "c"]}`."""


def _tagged(loader: _Loader, tag: str, node: yaml.Node) -> Json:
    if isinstance(node, yaml.SequenceNode):
        return {tag: loader.construct_sequence(node, deep=True)}
    assert isinstance(node, yaml.ScalarNode), f"!{tag}: only scalars and lists are expected here"
    return {tag: loader.construct_scalar(node)}


_Loader.add_multi_constructor("!", _tagged)  # pyright: ignore[reportUnknownMemberType]

TEMPLATE = cast("Json", yaml.load((ROOT / "template.yaml").read_text(encoding="utf-8"), _Loader))
PARAMETERS: dict[str, Json] = TEMPLATE["Parameters"]


def resources(kind: str) -> dict[str, Json]:
    return {name: resource for name, resource in TEMPLATE["Resources"].items() if resource["Type"] == kind}


GLOBALS: Json = TEMPLATE["Globals"]["Function"]
FUNCTIONS = {name: GLOBALS | each["Properties"] for name, each in resources("AWS::Serverless::Function").items()}
TABLES = resources("AWS::DynamoDB::Table")


def routes() -> Iterator[tuple[Json, Json]]:
    """Yields each function that stands behind a route of the API, with the route."""
    for function in FUNCTIONS.values():
        for event in function.get("Events", {}).values():
            if event["Type"] == "HttpApi":
                yield function, event["Properties"]


def variables(function: Json) -> Json:
    return function["Environment"]["Variables"]


def statements() -> Iterator[tuple[str, Json]]:
    """Yields each role's name with each of its statements."""
    for name, role in resources("AWS::IAM::Role").items():
        for policy in role["Properties"]["Policies"]:
            for statement in policy["PolicyDocument"]["Statement"]:
                yield name, statement


def resource(statement: Json) -> str:
    return (
        statement["Resource"] if isinstance(statement["Resource"], str) else next(iter(statement["Resource"].values()))
    )


def actions(statement: Json) -> list[str]:
    return [statement["Action"]] if isinstance(statement["Action"], str) else statement["Action"]


# ── the timeout ladder ───────────────────────────────────────────────────────────────────────────────────────────────


def test_gateway_outlasts_the_function_and_the_function_outlasts_the_budget() -> None:
    # given
    answering = [(function, route) for function, route in routes() if "TIME_BUDGET_SECONDS" in variables(function)]

    # then
    assert answering
    for function, route in answering:
        assert 29_000 >= route["TimeoutInMillis"] >= function["Timeout"] * 1000
        assert function["Timeout"] > PARAMETERS["TimeBudgetSeconds"]["Default"]


def test_no_allowed_budget_reaches_into_the_last_write() -> None:
    longest = PARAMETERS["TimeBudgetSeconds"]["MaxValue"]

    assert FUNCTIONS["ChatFunction"]["Timeout"] - longest >= STORE_RESERVE_SECONDS


def test_the_closing_reserve_leaves_time_for_work() -> None:
    assert PARAMETERS["ClosingReserveSeconds"]["Default"] < PARAMETERS["TimeBudgetSeconds"]["Default"]


# ── who may do what ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_every_function_has_a_role_that_is_written_out() -> None:
    for function in FUNCTIONS.values():
        role = function["Role"]["GetAtt"].removesuffix(".Arn")
        assert "ManagedPolicyArns" not in TEMPLATE["Resources"][role]["Properties"]
        assert "Policies" not in function  # SAM would ignore them


def test_no_statement_has_a_wildcard_that_could_be_narrowed() -> None:
    assert list(statements())
    for _, statement in statements():
        assert statement["Effect"] == "Allow"
        assert not [action for action in actions(statement) if "*" in action]
        if {action.partition(":")[0] for action in actions(statement)} == {"xray"}:
            assert statement["Resource"] == "*", "X-Ray knows no resources"
        else:
            assert isinstance(statement["Resource"], dict), "one resource of this stack, or one the operator named"


def test_the_chat_function_may_do_exactly_this() -> None:
    # when
    allowed = {resource(statement): set(actions(statement)) for role, statement in statements() if role == "ChatRole"}

    # then
    assert allowed == {
        "ConversationsTable.Arn": {
            "dynamodb:GetItem",
            "dynamodb:BatchGetItem",
            "dynamodb:Query",
            "dynamodb:PutItem",
            "dynamodb:UpdateItem",
            "dynamodb:ConditionCheckItem",
        },
        "CoachTable.Arn": {"dynamodb:GetItem", "dynamodb:Query", "dynamodb:PutItem", "dynamodb:UpdateItem"},
        "ApiKeysSecretArn": {"secretsmanager:GetSecretValue"},
        "HandedOnQueue.Arn": {"sqs:SendMessage"},
        "ChatLogs.Arn": {"logs:CreateLogStream", "logs:PutLogEvents"},
        "*": {"xray:PutTraceSegments", "xray:PutTelemetryRecords"},
    }


def test_the_worker_may_do_what_the_chat_function_may_and_take_what_it_hands_on() -> None:
    # when
    allowed = {
        role: {resource(each): set(actions(each)) for name, each in statements() if name == role} for role in ROLES
    }

    # then
    chat, worker = allowed["ChatRole"], allowed["WorkerRole"]
    for same in ("ConversationsTable.Arn", "CoachTable.Arn", "ApiKeysSecretArn", "*"):
        assert worker.pop(same) == chat[same]
    assert worker == {
        "HandedOnQueue.Arn": {
            "sqs:ReceiveMessage",
            "sqs:DeleteMessage",
            "sqs:GetQueueAttributes",
            "sqs:ChangeMessageVisibility",
        },
        BUS: {"events:PutEvents"},
        "WorkerLogs.Arn": {"logs:CreateLogStream", "logs:PutLogEvents"},
    }
    assert allowed["DeadLettersRole"] == {
        "ConversationsTable.Arn": {
            "dynamodb:BatchGetItem",
            "dynamodb:Query",
            "dynamodb:PutItem",
            "dynamodb:UpdateItem",
        },
        "DeadLetterQueue.Arn": {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"},
        BUS: {"events:PutEvents"},
        "DeadLettersLogs.Arn": {"logs:CreateLogStream", "logs:PutLogEvents"},
        "*": {"xray:PutTraceSegments", "xray:PutTelemetryRecords"},
    }


def test_the_worker_knows_every_setting_of_the_chat_function_or_has_its_own() -> None:
    # given
    chat, worker = variables(FUNCTIONS["ChatFunction"]), variables(FUNCTIONS["WorkerFunction"])

    # then
    theirs = {"MAX_TOOL_ROUNDS", "TIME_BUDGET_SECONDS"}
    assert {**worker, **{name: chat[name] for name in theirs}} == {
        **chat,
        **{f"WORKER_{name}": worker[f"WORKER_{name}"] for name in theirs},
    }


def test_a_message_that_is_handed_on_is_delivered_in_order_and_a_few_times() -> None:
    # given
    queue, dead = (resources("AWS::SQS::Queue")[name]["Properties"] for name in ("HandedOnQueue", "DeadLetterQueue"))
    worker, closing = FUNCTIONS["WorkerFunction"], FUNCTIONS["DeadLettersFunction"]

    # then
    assert queue["FifoQueue"]
    assert dead["FifoQueue"]
    assert queue["RedrivePolicy"]["deadLetterTargetArn"] == {"GetAtt": "DeadLetterQueue.Arn"}
    assert queue["VisibilityTimeout"] >= worker["Timeout"]
    assert dead["VisibilityTimeout"] >= closing["Timeout"]
    assert dead["MessageRetentionPeriod"] > queue["MessageRetentionPeriod"]
    # and whoever comes for it late still finds it his: all deliveries by workers that die are over before that
    assert queue["RedrivePolicy"]["maxReceiveCount"] * queue["VisibilityTimeout"] <= QUEUE_SECONDS
    for function in (worker, closing):
        (source,) = (event["Properties"] for event in function["Events"].values())
        assert source["BatchSize"] == 1
    assert PARAMETERS["WorkerTimeBudgetSeconds"]["MaxValue"] + 2 * STORE_RESERVE_SECONDS < worker["Timeout"]


def test_the_conversations_function_reads_and_erases_and_has_no_secret() -> None:
    # when
    allowed = {
        resource(statement): set(actions(statement)) for role, statement in statements() if role == "ConversationsRole"
    }

    # then
    assert allowed == {
        "ConversationsTable.Arn": {
            "dynamodb:BatchGetItem",
            "dynamodb:Query",
            "dynamodb:UpdateItem",
            "dynamodb:DeleteItem",
            "dynamodb:ConditionCheckItem",
        },
        f"${{ConversationsTable.Arn}}/index/{BY_ACTIVITY}": {"dynamodb:Query"},
        "ConversationsLogs.Arn": {"logs:CreateLogStream", "logs:PutLogEvents"},
        "*": {"xray:PutTraceSegments", "xray:PutTelemetryRecords"},
    }
    assert variables(FUNCTIONS["ConversationsFunction"]).keys() == {"TABLE_NAME"}


def test_reading_needs_less_memory_and_time_than_answering() -> None:
    chat, conversations = FUNCTIONS["ChatFunction"], FUNCTIONS["ConversationsFunction"]

    assert conversations["MemorySize"] < chat["MemorySize"]
    assert conversations["Timeout"] < chat["Timeout"]


def test_the_routes_are_there() -> None:
    assert {f"{route['Method']} {route['Path']}" for _, route in routes()} == ROUTES


def test_every_route_outlasts_its_function() -> None:
    for function, route in routes():
        assert 29_000 >= route["TimeoutInMillis"] > function["Timeout"] * 1000
        assert route["PayloadFormatVersion"] == "2.0"


def test_what_costs_more_may_be_asked_less_often() -> None:
    # given
    (api,) = resources("AWS::Serverless::HttpApi").values()
    by_default = api["Properties"]["DefaultRouteSettings"]
    by_route = api["Properties"]["RouteSettings"]

    # then
    assert by_route.keys() == {route for route in ROUTES if not route.startswith("GET")}
    for limits in by_route.values():
        assert limits["ThrottlingRateLimit"] < by_default["ThrottlingRateLimit"]
        assert limits["ThrottlingBurstLimit"] < by_default["ThrottlingBurstLimit"]


def test_no_web_page_may_call_the_api_unless_it_is_named() -> None:
    # given
    (api,) = resources("AWS::Serverless::HttpApi").values()
    condition, allowed, otherwise = api["Properties"]["CorsConfiguration"]["If"]

    # then
    assert PARAMETERS["CorsOrigins"]["Default"] == ""
    assert TEMPLATE["Conditions"][condition] == {"Not": [{"Equals": [{"Join": ["", {"Ref": "CorsOrigins"}]}, ""]}]}
    assert allowed["AllowOrigins"] == {"Ref": "CorsOrigins"}
    assert "AllowCredentials" not in allowed
    assert otherwise == {"Ref": "AWS::NoValue"}


def test_every_route_wants_a_token() -> None:
    # given
    (api,) = resources("AWS::Serverless::HttpApi").values()
    auth = api["Properties"]["Auth"]

    # then
    assert auth["DefaultAuthorizer"] in auth["Authorizers"]
    for _, route in routes():
        assert "Auth" not in route


@pytest.mark.parametrize("parameter", ["JwtIssuer", "JwtAudience", "ApiKeysSecretArn"])
def test_what_only_the_operator_knows_has_no_default(parameter: str) -> None:
    assert "Default" not in PARAMETERS[parameter]
    assert PARAMETERS[parameter]["Description"]
    assert not re.fullmatch(PARAMETERS[parameter]["AllowedPattern"], "")


# ── settings ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_functions_are_told_documented_settings_only() -> None:
    for function in FUNCTIONS.values():
        assert variables(function).keys() <= SETTINGS


def test_no_setting_is_a_literal() -> None:
    for function in FUNCTIONS.values():
        for value in variables(function).values():
            assert set(value) == {"Ref"}


def test_defaults_are_those_of_the_code() -> None:
    # given
    refs = {name: value["Ref"] for name, value in variables(FUNCTIONS["ChatFunction"]).items()}
    deployed = {name: PARAMETERS[ref]["Default"] for name, ref in refs.items() if "Default" in PARAMETERS.get(ref, {})}

    # when
    settings = Settings.read({"TABLE_NAME": "conversations", **{name: str(value) for name, value in deployed.items()}})

    # then
    assert settings.daily_token_quota > 0, "what is deployed has a brake on what one person can cost"
    same = settings.model_copy(update={"daily_token_quota": 0})
    assert same == Settings(table_name="conversations", models=deployed["MODELS"])


def test_web_pages_are_read_only_where_the_operator_says_so() -> None:
    assert PARAMETERS["WebPages"]["Default"] == "off"
    assert PARAMETERS["WebPages"]["AllowedValues"] == ["off", "on"]


@pytest.mark.parametrize(
    ("models", "allowed"),
    [
        ("anthropic:claude-sonnet-5-5", True),
        ("anthropic:claude-sonnet-5-5,openai:gpt-6.2-sol", True),
        ("claude-sonnet-5-5", False),
        ("anthropic:claude-sonnet-5-5,", False),
        ("someone:model", False),
    ],
)
def test_models_are_checked_before_they_are_deployed(models: str, allowed: bool) -> None:
    assert bool(re.fullmatch(PARAMETERS["Models"]["AllowedPattern"], models)) is allowed


# ── data and logs ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", TABLES)
def test_tables_have_the_designed_keys(name: str) -> None:
    assert {(key["AttributeName"], key["KeyType"]) for key in TABLES[name]["Properties"]["KeySchema"]} == {
        ("pk", "HASH"),
        ("sk", "RANGE"),
    }


def test_the_list_has_an_index_that_is_consistent_and_small() -> None:
    (index,) = TABLES["ConversationsTable"]["Properties"]["LocalSecondaryIndexes"]

    assert index["IndexName"] == BY_ACTIVITY
    assert [key["AttributeName"] for key in index["KeySchema"]] == ["pk", "updated_at"]
    assert index["Projection"] == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["title", "created_at"]}


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_hard_to_lose(name: str) -> None:
    table, properties = TABLES[name], TABLES[name]["Properties"]

    assert table["DeletionPolicy"] == table["UpdateReplacePolicy"] == "Retain"
    assert properties["DeletionProtectionEnabled"] is True
    assert properties["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert properties["SSESpecification"] == {"SSEEnabled": True}
    assert properties["BillingMode"] == "PAY_PER_REQUEST"


def test_conversations_expire() -> None:
    ttl = TABLES["ConversationsTable"]["Properties"]["TimeToLiveSpecification"]

    assert ttl == {"AttributeName": "ttl", "Enabled": True}


def test_logs_are_structured_and_end() -> None:
    groups = resources("AWS::Logs::LogGroup")

    for group in groups.values():
        assert group["Properties"]["RetentionInDays"] == {"Ref": "LogRetentionDays"}
    for function in FUNCTIONS.values():
        assert function["LoggingConfig"]["LogFormat"] == "JSON"
        assert function["LoggingConfig"]["LogGroup"]["Ref"] in groups


# ── taking over, and being watched ───────────────────────────────────────────────────────────────────────────────────

ALARMS = {name: alarm["Properties"] for name, alarm in resources("AWS::CloudWatch::Alarm").items()}
STACK = {"Ref": "AWS::StackName"}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_api_calls_an_alias_of_a_version_that_starts_from_a_snapshot(name: str) -> None:
    function = FUNCTIONS[name]

    assert function["AutoPublishAlias"] == "live"
    assert function["AutoPublishAliasAllProperties"] is True  # a new layer or setting is a new version, too
    assert function["SnapStart"] == {"ApplyOn": "PublishedVersions"}
    assert "ProvisionedConcurrencyConfig" not in function  # excluded by SnapStart
    assert function["Tracing"] == "Active"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_new_version_takes_over_step_by_step_and_an_alarm_brings_the_old_one_back(name: str) -> None:
    preference = FUNCTIONS[name]["DeploymentPreference"]

    assert preference["Type"] == {"Ref": "Deployment"}
    assert PARAMETERS["Deployment"]["Default"].startswith("Canary")
    watching = [ALARMS[alarm["Ref"]] for alarm in preference["Alarms"]]
    assert {"Name": "Resource", "Value": {"Sub": f"${{{name}}}:live"}} in [
        dimension for alarm in watching for dimension in alarm.get("Dimensions", [])
    ]
    assert ALARMS["InternalErrorsAlarm"] in watching, "the functions answer their errors: Lambda counts none"
    for alarm in watching:  # within the five minutes of the canary
        assert alarm["Period"] * alarm["EvaluationPeriods"] < 300


def test_a_new_version_all_of_whose_runs_fail_is_seen_in_the_share_of_the_canary() -> None:
    assert PARAMETERS["Deployment"]["Default"].startswith("Canary10Percent")
    assert ALARMS["FailedRunsAlarm"]["Threshold"] <= 0.1 / 2


@pytest.mark.parametrize(
    "name", ["ChatFunction", "ConversationsFunction"]
)  # the others raise theirs: Lambda counts them
def test_an_error_that_a_function_answers_is_counted_from_its_log(name: str, caplog: pytest.LogCaptureFixture) -> None:
    # Given a function's error
    app = problem_resolver()

    @app.get("/broken")
    def broken() -> None:  # pyright: ignore[reportUnusedFunction] - the resolver calls it
        raise RuntimeError

    http = {"method": "GET", "path": "/broken"}
    event = {"version": "2.0", "rawPath": "/broken", "requestContext": {"stage": "$default", "http": http}}
    answered = resolve(app, event, cast("Any", None))
    assert answered["statusCode"] == 500
    # When the filter of its log looks at the line
    group = FUNCTIONS[name]["LoggingConfig"]["LogGroup"]
    (found,) = [
        each["Properties"]
        for each in resources("AWS::Logs::MetricFilter").values()
        if each["Properties"]["LogGroupName"] == group
    ]
    level, message = re.findall(r'\$\.\w+ = "([^"]+)"', found["FilterPattern"])
    # Then it is what the filter counts, and what the alarm asks for
    (record,) = caplog.records
    assert (record.levelname, True) == (level, fnmatch(record.getMessage(), message))
    (counted,) = found["MetricTransformations"]
    alarm = ALARMS["InternalErrorsAlarm"]
    assert (counted["MetricNamespace"], counted["MetricName"]) == (alarm["Namespace"], alarm["MetricName"])


def test_spend_has_a_brake() -> None:
    reserved = FUNCTIONS["ChatFunction"]["ReservedConcurrentExecutions"]

    assert reserved["If"][:2] == ["ReservesConcurrency", {"Ref": "ReservedConcurrency"}]
    assert PARAMETERS["ReservedConcurrency"]["Default"] > 0


@pytest.mark.parametrize("name", ALARMS)
def test_an_alarm_says_what_it_means_tells_somebody_and_is_quiet_without_traffic(name: str) -> None:
    alarm = ALARMS[name]

    assert alarm["AlarmDescription"]
    assert alarm["AlarmActions"] == [{"Ref": "AlarmTopic"}]
    assert alarm["TreatMissingData"] == "notBreaching"
    assert f"### {name.removesuffix('Alarm')}" in (ROOT / "RUNBOOK.md").read_text(encoding="utf-8")


def test_alarms_and_dashboard_look_at_metrics_that_are_written(capsys: pytest.CaptureFixture[str]) -> None:
    # Given the metrics of a run, and of a message that is refused
    telemetry = Telemetry({})
    telemetry.on_message(Message("ana", "c", "k", "hello"))
    telemetry.on_turn(None, 1.0)
    telemetry.on_result(ToolCall("1", "read_goals", "{}"), ToolResult("1", "none"), 1.0)
    telemetry.on_answer(Answer("Hi."), 1.0)
    telemetry.on_handed_on(1.0)
    telemetry.on_refused(QuotaExceeded(1.0))
    documents = map(json.loads, capsys.readouterr().out.splitlines())
    written = {name for document in documents for name in document}
    # When alarms and dashboard ask for metrics of our own
    asked = {alarm["MetricName"] for alarm in ALARMS.values() if alarm["Namespace"] == STACK}
    (dashboard,) = resources("AWS::CloudWatch::Dashboard").values()
    for widget in json.loads(dashboard["Properties"]["DashboardBody"]["Sub"])["widgets"]:
        asked |= {metric[1] for metric in widget["properties"]["metrics"] if metric[0] == "${AWS::StackName}"}
    # Then there are such metrics
    assert asked
    assert asked - {"InternalErrors"} <= written, "that one is counted from the log"


def test_the_alarm_on_slow_runs_and_the_metric_are_in_milliseconds(capsys: pytest.CaptureFixture[str]) -> None:
    # given
    telemetry = Telemetry({})
    four_fifths = 0.8 * PARAMETERS["TimeBudgetSeconds"]["Default"]

    # when
    telemetry.on_answer(Answer("Hi."), four_fifths)

    # then
    assert json.loads(capsys.readouterr().out)["RunTime"] == [ALARMS["SlowRunsAlarm"]["Threshold"]]


@pytest.mark.parametrize(("address", "allowed"), [("", True), ("a@b.c", True), ("a@b.c, d@e.f", False), ("a", False)])
def test_an_address_for_alarms_is_one_or_none(address: str, allowed: bool) -> None:
    assert bool(re.fullmatch(PARAMETERS["AlarmEmail"]["AllowedPattern"], address)) is allowed


def test_prices_are_checked_before_they_are_deployed() -> None:
    pattern = PARAMETERS["ModelPrices"]["AllowedPattern"]

    assert pattern == PATTERN
    assert re.fullmatch(pattern, PARAMETERS["ModelPrices"]["Default"])


# ── the dependencies layer ───────────────────────────────────────────────────────────────────────────────────────────


def test_the_layer_holds_what_is_locked(tmp_path: Path) -> None:
    # given
    generated = tmp_path / "requirements.txt"
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}

    # when
    subprocess.run(
        ["make", "requirements", f"REQUIREMENTS={generated}"], cwd=ROOT, env=outside, check=True, capture_output=True
    )

    # then
    deployed = ROOT / "layers" / "dependencies" / "requirements.txt"
    assert deployed.read_text() == generated.read_text(), "uv.lock has changed: make requirements"
