from pathlib import Path

import pytest

from local.template import MOST_AT_ONCE, TEMPLATE, Queue, Source, Template, TemplateError

SMALL = """
Parameters:
  Rounds: {Type: Number, Default: 7}
  AtOnce: {Type: Number, Default: 3}
  Secret: {Type: String}
Globals:
  Function:
    Timeout: 11
    Environment: {Variables: {SHARED: "yes"}}
Resources:
  Talk:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: code/talk/
      Handler: app.handler
      MemorySize: 256
      Environment:
        Variables:
          THINGS_TABLE: !Ref Things
          ROUNDS: !Ref Rounds
          LABEL: !Sub "up to ${Rounds}"
          SECRET: !Ref Secret
          ARN: !GetAtt Things.Arn
          LETTERS_URL: !Ref Letters
      Events:
        Post: {Type: HttpApi, Properties: {Method: post, Path: "/talk/{id}", TimeoutInMillis: 29000}}
        Health: {Type: HttpApi, Properties: {Method: GET, Path: /health, Auth: {Authorizer: NONE}}}
        Letter:
          Type: SQS
          Properties: {Queue: !GetAtt Letters.Arn, BatchSize: 1, ScalingConfig: {MaximumConcurrency: !Ref AtOnce}}
        DeadLetter: {Type: SQS, Properties: {Queue: !GetAtt Dead.Arn}}
  Letters:
    Type: AWS::SQS::Queue
    Properties:
      FifoQueue: true
      VisibilityTimeout: 900
      SqsManagedSseEnabled: true
      RedrivePolicy: {deadLetterTargetArn: !GetAtt Dead.Arn, maxReceiveCount: 4}
  Dead: {Type: AWS::SQS::Queue, Properties: {MessageRetentionPeriod: 60}}
  Things:
    Type: AWS::DynamoDB::Table
    DeletionPolicy: Retain
    Properties:
      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
      KeySchema: [{AttributeName: pk, KeyType: HASH}]
      DeletionProtectionEnabled: true
"""


@pytest.fixture
def small(tmp_path: Path) -> Template:
    path = tmp_path / "template.yaml"
    path.write_text(SMALL, encoding="utf-8")
    return Template.read(path)


def test_reads_a_function_with_the_globals_filled_in(small: Template, tmp_path: Path) -> None:
    function = small.functions["Talk"]
    assert (function.code, function.handler) == (tmp_path / "code/talk", "app.handler")
    assert (function.timeout, function.memory) == (11, 256)


def test_resolves_what_is_known_without_a_deployment_and_leaves_out_the_rest(small: Template) -> None:
    assert small.functions["Talk"].environment == {"SHARED": "yes", "ROUNDS": "7", "LABEL": "up to 7"}


def test_reads_the_routes_with_their_timeouts_and_whether_they_are_protected(small: Template) -> None:
    post, health = small.routes
    assert (post.key, post.function, post.timeout, post.protected) == ("POST /talk/{id}", "Talk", 29, True)
    assert (health.key, health.timeout, health.protected) == ("GET /health", 30, False)


def test_reads_a_table_as_it_is_created_and_the_variable_that_names_it(small: Template) -> None:
    (table,) = small.tables
    assert (table.name, table.variable) == ("Things", "THINGS_TABLE")
    assert set(table.definition) == {"AttributeDefinitions", "KeySchema", "BillingMode"}


def test_reads_a_queue_as_it_is_created_and_where_its_dead_letters_go(small: Template) -> None:
    attributes = {"FifoQueue": "true", "VisibilityTimeout": "900"}
    assert small.queues == (
        Queue("Letters", "LETTERS_URL", attributes, "Dead", 4),
        Queue("Dead", "", {"MessageRetentionPeriod": "60"}, "", 0),
    )


def test_reads_which_function_reads_which_queue_and_how_many_messages_at_once(small: Template) -> None:
    assert small.sources == (Source("Letters", "Talk", 3), Source("Dead", "Talk", MOST_AT_ONCE))


@pytest.mark.parametrize(
    ("text", "complaint"), [("Resources: [", "not valid YAML"), ("a: 1", "no Resources"), ("[]", "no Resources")]
)
def test_says_what_is_wrong_with_a_file_that_is_no_template(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "template.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TemplateError, match=complaint):
        Template.read(path)


def test_says_that_there_is_no_template(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match="cannot read"):
        Template.read(tmp_path / "none.yaml")


def test_the_timeouts_of_this_repository_leave_the_function_time_to_answer() -> None:
    template = Template.read(TEMPLATE)
    assert template.routes
    for route in template.routes:
        assert route.timeout >= template.functions[route.function].timeout
    assert {table.variable for table in template.tables} == {"TABLE_NAME", "COACH_TABLE_NAME"}


def test_the_queue_of_this_repository_outlasts_its_worker_and_gives_up_to_a_function() -> None:
    template = Template.read(TEMPLATE)
    readers = {source.queue: template.functions[source.function] for source in template.sources}
    (handed_on,) = (queue for queue in template.queues if queue.variable == "QUEUE_URL")
    assert int(handed_on.attributes["VisibilityTimeout"]) >= readers[handed_on.name].timeout
    assert handed_on.deliveries > 1
    assert handed_on.dead_letters in readers
