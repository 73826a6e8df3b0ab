"""The stack, as `sam deploy` makes it of what `make build` has made, answers a person of the app and nobody else.

Everything is on this machine: an emulator of AWS, an issuer of tokens, a model as strict as the real one.
"""

import http.client
import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit
from uuid import uuid4

import boto3
import pytest
from built import HERE, ROOT, session_folder, shared_build
from engine.aws_emulator import environment_of_a_stranger, running
from engine.http_routes import make_routes
from fakes.issuer import AUDIENCE, Issuer, issuing, somebody_elses_key
from fakes.server import ModelServer, serving
from fakes.services import ANTHROPIC

STACK = "rondas"
PATIENCE = 300
"""Seconds for what a machine under load may take: unpacking the layers, starting the function."""

KEYS = {"ANTHROPIC_API_KEY": "the-key"}


@dataclass(frozen=True)
class Deployed:
    """The stack, and who stands around it."""

    account: dict[str, str]
    api: str
    issuer: Issuer
    model: ModelServer

    def client(self, service: str) -> Any:
        """Returns a client of the emulator."""
        return _client(service, self.account)

    def post(self, text: str, *, token: str | None, conversation: str, key: str | None = None) -> "Reply":
        """Posts a message as the app does."""
        return self.request("POST", f"/conversations/{conversation}/messages", token, {"text": text}, key)

    def request(
        self, method: str, path: str, token: str | None, body: object = None, key: str | None = None
    ) -> "Reply":
        """Asks the API."""
        headers = {"host": f"{self.api}.execute-api.localhost", "content-type": "application/json"}
        headers |= {"idempotency-key": key or str(uuid4())} | ({"authorization": f"Bearer {token}"} if token else {})
        address = urlsplit(self.account["AWS_ENDPOINT_URL"])
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=PATIENCE)
        try:
            connection.request(method, path, json.dumps(body).encode() if body else None, headers)
            response = connection.getresponse()
            return Reply(response.status, json.loads(response.read() or b"{}"))
        finally:
            connection.close()

    def rows(self, table: str, partition: str) -> int:
        """Returns how many items lie in a partition of a table, given by its name in the template."""
        resource = self.client("cloudformation").describe_stack_resource(StackName=STACK, LogicalResourceId=table)
        name = resource["StackResourceDetail"]["PhysicalResourceId"]
        values = {":pk": {"S": partition}}
        query = {"TableName": name, "KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": values}
        return self.client("dynamodb").query(**query, ConsistentRead=True)["Count"]


@dataclass(frozen=True)
class Reply:
    status: int
    body: dict[str, Any]


def _client(service: str, account: dict[str, str]) -> Any:
    return cast("Any", boto3).client(
        service,
        endpoint_url=account["AWS_ENDPOINT_URL"],
        region_name=account["AWS_REGION"],
        aws_access_key_id=account["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=account["AWS_SECRET_ACCESS_KEY"],
    )


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    built = shared_build(session_folder(tmp_path_factory), HERE)
    folder = tmp_path_factory.mktemp("aws")
    with ExitStack() as around:
        model = around.enter_context(serving(ANTHROPIC.start()))
        issuer, authority = around.enter_context(issuing(folder))
        # The emulator hands its own variables on to the functions, so the template needs no word of the fake.
        variables = {"ANTHROPIC_BASE_URL": model.url, "SSL_CERT_FILE": str(authority)}
        account = around.enter_context(running(folder, variables))
        secret = _client("secretsmanager", account).create_secret(Name="api-keys", SecretString=json.dumps(KEYS))
        parameters = {
            "Architecture": HERE, "JwtIssuer": issuer.url, "JwtAudience": AUDIENCE, "ApiKeysSecretArn": secret["ARN"],
        }  # fmt: skip
        _deploy(_without_codedeploy(built.folder / "template.yaml"), account, parameters)
        cloudformation, gateway = _client("cloudformation", account), _client("apigatewayv2", account)
        api = make_routes(STACK, parameters, cloudformation, gateway)
        stack = Deployed(account, api, issuer, model)
        # The emulator unpacks the layers at the first request, for which a busy machine may need half a minute: a real
        # message would have no time left. One that is refused starts the function as well.
        assert stack.post("", token=issuer.token(), conversation="start").status == 422
        yield stack


def _without_codedeploy(template: Path) -> Path:
    """Returns the template with the alias moved at once: the emulator has no CodeDeploy to move it step by step."""
    whole = template.read_text(encoding="utf-8")
    left, found = re.subn(r"^( +)DeploymentPreference:\n(?:\1 .*\n)+", "", whole, flags=re.MULTILINE)
    assert found
    emulated = template.with_name("emulated.yaml")  # beside it: the paths in it are relative
    emulated.write_text(left, encoding="utf-8")
    return emulated


def _deploy(template: Path, account: dict[str, str], parameters: dict[str, str]) -> None:
    command = [
        ".venv/bin/sam", "deploy", "--config-file", str(ROOT / "samconfig.toml"), "--template-file", str(template),
        "--stack-name", STACK, "--no-confirm-changeset",
        "--parameter-overrides", *(f"{name}={value}" for name, value in parameters.items()),
    ]  # fmt: skip
    environment = environment_of_a_stranger(SAM_CLI_TELEMETRY="0", SAM_CLI_POLL_DELAY="0.5", **account)
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_person_of_the_app_is_answered_out_of_real_tools_and_tables(deployed: Deployed) -> None:
    # Given a model that looks something up and saves something
    deployed.model.add(
        ANTHROPIC.turn("I look.", [("call_1", "search_exercises", {"query": "bench press"})]),
        ANTHROPIC.turn("I save.", [("call_2", "save_goal", {"exercise": "bench press", "target_kg": 100})]),
        ANTHROPIC.turn("Your goal is saved.", []),
    )
    # When somebody with a good token asks
    reply = deployed.post("100 kg bench press is my goal", token=deployed.issuer.token(), conversation="first")
    # Then the function has read its key, asked the model, run the tools, and stored all of it
    assert (reply.status, reply.body.get("status")) == (200, "answered"), reply.body
    assert (reply.body["reply"], reply.body["rounds"]) == ("Your goal is saved.", 2)
    assert "the-key" in " ".join(deployed.model.requests[-1].headers.values())
    assert deployed.rows("ConversationsTable", "U#ana#C#first") >= 5
    deployed.model.check_used_up()


def test_the_same_message_again_gets_the_same_answer_and_asks_nobody(deployed: Deployed) -> None:
    # Given a message that is answered
    deployed.model.add(ANTHROPIC.turn("Only once.", []))
    token, key = deployed.issuer.token(), str(uuid4())
    first = deployed.post("hello", token=token, conversation="again", key=key)
    # When it comes again, then the answer is the stored one
    assert deployed.post("hello", token=token, conversation="again", key=key).body == first.body
    deployed.model.check_used_up()


def test_nobody_else_gets_past_the_gateway(deployed: Deployed) -> None:
    # Given tokens that are expired, meant for others, of another issuer, of another person's making, or none
    asked, issuer = len(deployed.model.requests), deployed.issuer
    bad = {
        "expired": issuer.token(exp=1_700_000_000),
        "another audience": issuer.token(aud="another-app"),
        "another issuer": issuer.token(iss="https://issuer.example"),
        "forged": issuer.token(key=somebody_elses_key()),
        "none": None,
    }
    # When they ask, then the gateway refuses, and no model is asked
    for what, token in bad.items():
        assert deployed.post("hello", token=token, conversation="bad").status == 401, what
    assert len(deployed.model.requests) == asked


def test_a_conversation_is_listed_read_and_erased_by_the_other_function(deployed: Deployed) -> None:
    # Given a conversation
    deployed.model.add(ANTHROPIC.turn("Hi.", []))
    token = deployed.issuer.token(sub="bob")
    deployed.post("hello", token=token, conversation="bobs")
    # When it is listed and read, then it is there
    listed = deployed.request("GET", "/conversations", token)
    assert [each["id"] for each in listed.body["conversations"]] == ["bobs"]
    assert deployed.request("GET", "/conversations/bobs/messages", token).body["messages"]
    # When it is erased (the emulator makes a 500 of any answer without a body), then it is gone
    deployed.request("DELETE", "/conversations/bobs", token)
    assert deployed.request("GET", "/conversations", token).body["conversations"] == []


@pytest.mark.parametrize("function", ["ChatFunction", "ConversationsFunction"])
def test_the_api_calls_the_alias_of_a_version_that_starts_from_a_snapshot(deployed: Deployed, function: str) -> None:
    # Given what the routes call
    called = {
        each["IntegrationUri"] for each in deployed.client("apigatewayv2").get_integrations(ApiId=deployed.api)["Items"]
    }
    (alias,) = [uri for uri in called if f"-{function}-" in uri]
    # When it is looked up
    configuration = deployed.client("lambda").get_function_configuration(FunctionName=alias)
    # Then it is a published version, and the hooks of its snapshot have run
    assert alias.endswith(":live")
    assert configuration["Version"] == "1"
    assert configuration["SnapStart"]["ApplyOn"] == "PublishedVersions"


def test_alarms_and_dashboard_are_there(deployed: Deployed) -> None:
    alarms = deployed.client("cloudwatch").describe_alarms()["MetricAlarms"]

    assert len(alarms) == 15
    assert all(alarm["AlarmActions"] for alarm in alarms)
    assert deployed.client("cloudwatch").get_dashboard(DashboardName=STACK)["DashboardBody"]
