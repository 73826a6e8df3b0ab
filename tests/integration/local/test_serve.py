"""The local API: real processes, and a function that does what the path says."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from fakes.local_api import PATIENCE, Api, MeetingPoint

type Serve = Callable[..., Api]


@pytest.fixture
def api(serve: Serve) -> Api:
    return serve()


def test_an_event_reaches_the_function_as_api_gateway_sends_it(api: Api, template: Path) -> None:
    answer = api.post("/do/echo?a=1&a=2", b'{"text":"hola"}', **{"Content-Type": "application/json"})
    assert answer.status == 200
    event = answer.json()["event"]
    assert (event["version"], event["routeKey"], event["rawPath"]) == ("2.0", "POST /do/{what}", "/do/echo")
    assert event["queryStringParameters"] == {"a": "1,2"}
    assert event["body"] == '{"text":"hola"}'
    assert event["requestContext"]["authorizer"]["jwt"]["claims"]["sub"] == "ana"
    assert 0 < answer.json()["remaining"] <= 2000
    assert answer.json()["here"] == str(template.parent / "code")


def test_settings_of_the_servers_environment_are_passed_on(serve: Serve) -> None:
    api = serve(MAX_TOOL_ROUNDS="3", FROM_TEMPLATE="")
    known = api.post("/do/echo").json()["environment"]
    assert known["MAX_TOOL_ROUNDS"] == "3"
    assert known["FROM_TEMPLATE"] == "yes"
    assert known["AWS_LAMBDA_FUNCTION_NAME"] == "Fake"


@pytest.mark.parametrize(
    "headers", [{}, {"authorization": "Bearer nonsense"}, {"authorization": "Bearer e30.eyJuYW1lIjoiYSJ9."}]
)
def test_without_a_person_there_is_401_and_no_invocation(api: Api, headers: dict[str, str]) -> None:
    answer = api.request("POST", "/do/crash", b"{}", headers)
    assert (answer.status, answer.body) == (401, b'{"message":"Unauthorized"}')
    assert ("www-authenticate", "Bearer") in answer.headers


def test_a_route_without_authorizer_is_open(api: Api) -> None:
    answer = api.request("GET", "/open")
    assert answer.status == 200
    assert "authorizer" not in answer.json()["event"]["requestContext"]


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/do/echo"), ("POST", "/"), ("BREW", "/open"), ("GET", "/open/x")]
)
def test_what_is_no_route_is_not_found(api: Api, method: str, path: str) -> None:
    answer = api.request(method, path)
    assert (answer.status, answer.body) == (404, b'{"message":"Not Found"}')


@pytest.mark.parametrize("size", [10 * 1024 * 1024 + 1, 7 * 1024 * 1024])
def test_a_body_beyond_the_limits_of_gateway_or_lambda_is_413(api: Api, size: int) -> None:
    answer = api.post("/do/crash", b"x" * size, **{"Content-Type": "text/plain"})
    assert (answer.status, answer.body) == (413, b'{"message":"Request Entity Too Large"}')


@pytest.mark.parametrize("what", ["raise", "crash", "nonsense", "huge"])
def test_a_function_without_an_answer_is_500_and_the_next_request_is_served(api: Api, what: str) -> None:
    answer = api.post(f"/do/{what}")
    assert (answer.status, answer.body) == (500, b'{"message":"Internal Server Error"}')
    assert api.post("/do/echo").status == 200


def test_a_function_beyond_its_timeout_is_killed_and_replaced(api: Api, meeting_point: MeetingPoint) -> None:
    # given
    before = api.post("/do/echo").json()["pid"]
    # when
    answer = api.post("/do/hang")
    # then
    assert (answer.status, answer.body) == (500, b'{"message":"Internal Server Error"}')
    assert meeting_point.wait().has_ended()
    assert api.post("/do/echo").json()["pid"] != before
    assert "Task timed out after 2.00 seconds" in api.stop()[1]


def test_at_the_integrations_timeout_the_caller_gets_503_and_the_function_runs_on(
    api: Api, meeting_point: MeetingPoint
) -> None:
    # given
    answer = api.post("/hasty/meet")
    assert (answer.status, answer.body) == (503, b'{"message":"Service Unavailable"}')
    meeting = meeting_point.wait()
    # when
    meeting.release()
    # then
    assert api.post("/do/echo").json()["pid"] == meeting.pid


def test_as_many_invocations_as_slots_run_at_once_and_the_others_wait(
    serve: Serve, meeting_point: MeetingPoint
) -> None:
    # given
    api = serve(slots=2)
    with ThreadPoolExecutor() as callers:
        answers = [callers.submit(api.post, "/do/meet") for _ in range(3)]
        first, second = meeting_point.wait(), meeting_point.wait()
        # when
        with pytest.raises(TimeoutError):
            meeting_point.wait(0.3)
        first.release()
        third = meeting_point.wait()
        second.release()
        third.release()
        # then
        assert [answer.result().status for answer in answers] == [200, 200, 200]
    assert first.pid != second.pid
    assert third.pid == first.pid


def test_what_the_function_prints_goes_to_standard_error(api: Api) -> None:
    assert api.post("/do/print").json()["event"]["rawPath"] == "/do/print"
    assert '{"payload": "not the answer"}' in api.stop()[1]


def test_binary_bodies_cookies_and_empty_answers_come_through(api: Api) -> None:
    binary = api.post("/do/binary")
    assert (binary.status, binary.body) == (201, b"\xff\x00")
    assert [value for name, value in binary.headers if name == "set-cookie"] == ["a=1", "b=2"]
    empty = api.post("/do/empty")
    assert (empty.status, empty.body) == (204, b"")


def test_a_connection_is_kept_and_a_body_may_come_in_chunks(api: Api) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", api.port, timeout=PATIENCE)
    token = {"authorization": "Bearer e30.eyJzdWIiOiJhbmEifQ.", "content-type": "text/plain"}
    ports: set[int] = set()
    for _ in range(3):
        connection.request("POST", "/do/echo", iter([b"one ", b"two"]), token, encode_chunked=True)
        response = connection.getresponse()
        assert json.loads(response.read())["event"]["body"] == "one two"
        ports.add(connection.sock.getsockname()[1])
    connection.close()
    assert len(ports) == 1


@pytest.mark.parametrize(
    "raw", [b"nonsense\r\n\r\n", b"POST /do/echo HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"GET / HTTP/9\r\n\r\n"]
)
def test_what_is_no_http_is_refused_and_does_no_harm(api: Api, raw: bytes) -> None:
    with socket.create_connection(("127.0.0.1", api.port), timeout=PATIENCE) as connection:
        connection.sendall(raw)
        answer = b"".join(iter(lambda: connection.recv(4096), b""))
    assert b'{"message":' in answer
    assert b" 500 " not in answer
    assert api.post("/do/echo").status == 200


def test_half_a_request_is_not_invoked(api: Api) -> None:
    with socket.create_connection(("127.0.0.1", api.port), timeout=PATIENCE) as connection:
        head = b"POST /do/crash HTTP/1.1\r\nAuthorization: Bearer e30.eyJzdWIiOiJhbmEifQ.\r\nContent-Length: 9\r\n\r\n"
        connection.sendall(head + b"half")
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(1) == b""
    assert api.stop() == (0, "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_told_to_stop_it_takes_no_more_connections_and_answers_what_it_has_begun(
    serve: Serve, meeting_point: MeetingPoint, number: int
) -> None:
    # given
    api = serve()
    with ThreadPoolExecutor() as callers:
        answer = callers.submit(api.post, "/do/meet")
        meeting = meeting_point.wait()
        # when
        api.process.send_signal(number)
        _wait_until_refused(api.port)
        meeting.release()
        # then
        assert answer.result().status == 200
        assert api.process.wait(PATIENCE) == 0
        assert meeting.has_ended()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_what_goes_on_beyond_the_grace_is_ended_with_code_0(
    serve: Serve, meeting_point: MeetingPoint, number: int
) -> None:
    # given
    api = serve(slots=2, grace=0.01)
    with ThreadPoolExecutor() as callers:
        for _ in range(2):
            callers.submit(_ignoring_resets, api)
        meetings = [meeting_point.wait(), meeting_point.wait()]
        # when
        code, errors = api.stop(number)
        # then
        assert code == 0
        assert "Traceback" not in errors
        assert all(meeting.has_ended() for meeting in meetings)


def test_when_the_server_is_killed_its_slots_end_too(serve: Serve, meeting_point: MeetingPoint) -> None:
    # given
    api = serve(slots=2)
    with ThreadPoolExecutor() as callers:
        for _ in range(2):
            callers.submit(_ignoring_resets, api)
        meetings = [meeting_point.wait(), meeting_point.wait()]
        # when
        os.kill(api.process.pid, signal.SIGKILL)
        # then
        assert all(meeting.has_ended() for meeting in meetings)


def test_when_the_server_is_killed_while_it_starts_nothing_of_it_is_left(
    launch: Callable[..., subprocess.Popen[str]], template: Path, meeting_point: MeetingPoint
) -> None:
    # Given a function that is being loaded
    code = (template.parent / "code" / "app.py").read_text(encoding="utf-8") + "\nmeet('hang')"
    (template.parent / "code" / "app.py").write_text(code, encoding="utf-8")
    process = launch(slots=2)
    meeting = meeting_point.wait()
    # When the server is killed
    process.kill()
    # Then the function's processes end, and the pipes that the others have of the server's are closed
    assert meeting.has_ended()
    assert process.communicate(timeout=PATIENCE)[0] == ""


def test_a_function_that_cannot_be_loaded_ends_the_start_with_its_message(
    launch: Callable[..., subprocess.Popen[str]], template: Path
) -> None:
    # given
    code = "class SettingsError(Exception): ...\nraise SettingsError('MODELS: is not set')"
    (template.parent / "code" / "app.py").write_text(code, encoding="utf-8")
    # when
    output, errors = launch(slots=2).communicate(timeout=PATIENCE)
    # then
    assert (output, errors) == ("", "error: MODELS: is not set\n")


def test_told_to_stop_while_it_starts_it_ends_with_code_0(
    launch: Callable[..., subprocess.Popen[str]], template: Path, meeting_point: MeetingPoint
) -> None:
    # given
    code = (template.parent / "code" / "app.py").read_text(encoding="utf-8") + "\nmeet('hang')"
    (template.parent / "code" / "app.py").write_text(code, encoding="utf-8")
    process = launch()
    meeting = meeting_point.wait()
    # when
    process.terminate()
    # then
    assert process.communicate(timeout=PATIENCE) == ("", "")
    assert process.returncode == 0
    assert meeting.has_ended()


def test_a_port_that_is_taken_is_named(
    environment: dict[str, str], template: Path, meeting_point: MeetingPoint
) -> None:
    command = ["-m", "local.serve", "--port", str(meeting_point.port), "--template", str(template)]
    done = _python(command, environment)
    assert done.returncode == 1
    assert done.stderr == f"error: cannot listen on 127.0.0.1:{meeting_point.port}: Address already in use\n"


def test_each_request_is_one_line_without_query_body_or_token(api: Api) -> None:
    # given
    api.post("/do/empty?secret=1", b"secret")
    api.request("GET", "/none/x%20y", None, {"authorization": "Bearer secret"})
    api.request("POST", "/do/empty")
    with socket.create_connection(("127.0.0.1", api.port), timeout=PATIENCE) as connection:
        connection.sendall(b"\x1b[31m\r\n\r\n")
        connection.recv(4096)
    # when
    lines = api.stop()[1].splitlines()
    # then
    assert [re.sub(r"\d+ ms$", "N ms", line) for line in lines] == [
        "POST /do/empty 204 N ms",
        "GET /none/x%20y 404 N ms",
        "POST /do/empty 401 N ms",
        "- - 400 N ms",
    ]


def _wait_until_refused(port: int) -> None:
    """Returns when no connection is taken any more; each one that is taken is waited for until the server drops it."""
    with suppress(ConnectionError):  # refused, or reset while it was being taken
        while True:
            with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection, suppress(OSError):
                connection.settimeout(0.05)
                connection.recv(1)


def _python(command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command], env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def _ignoring_resets(api: Api) -> None:
    with suppress(OSError, http.client.HTTPException):
        api.post("/do/meet")
