"""Both functions behind one door, with a model that always has an answer."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from chat_function import Chat
from conformity import check_answer
from conversations_function import load_app
from doubles import says
from fakes.in_process import InProcess

from local.payload import Request, Response
from local.token import bearer

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from rondas.history import Turn


class Ready:
    """A model that says yes to everything."""

    def reply(self, *_: Any, **__: Any) -> "Turn":
        return says("Yes.")


@dataclass
class Door:
    """The HTTP API. Every answer is held against the document, and what is refused must have stored nothing."""

    api: InProcess
    client: "DynamoDBClient"
    _written: list[str] = field(default_factory=list[str])

    def ask(
        self, method: str, path: str, body: bytes = b"", *, user: str | None = "ana", query: str = "", **headers: str
    ) -> Response:
        token = {"authorization": f"Bearer {bearer(user)}"} if user is not None else {}
        given = {name.replace("_", "-"): value for name, value in headers.items()} | token
        request = Request(method, path, query, list(given.items()), body)
        with self._watched():
            route, answer = self.api.answer(request)
        if route:
            check_answer(route.method, route.path, answer)
        if 400 <= answer.status < 500:
            assert self._written == [], f"{method} {path} was refused with {answer.status} and has stored something"
        return answer

    @classmethod
    def of(cls, chat: Chat) -> "Door":
        """Puts the conversations function beside the chat function, with the same table."""
        handlers = {"ChatFunction": chat.app.handler, "ConversationsFunction": load_app().handler}
        return cls(InProcess(handlers), chat.client)

    @contextmanager
    def _watched(self) -> Generator[None]:
        """Notes the writes that the table took."""
        self._written.clear()

        def note(http_response: Any, model: Any, **_: Any) -> None:
            if http_response.status_code == 200 and model.name.startswith(("Put", "Update", "Delete", "TransactWrite")):
                self._written.append(model.name)

        self.client.meta.events.register("after-call.dynamodb", note)
        yield
        self.client.meta.events.unregister("after-call.dynamodb", note)
