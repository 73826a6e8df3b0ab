"""The function of Rondas that lists, reads and erases."""

import app  # the conversations function
from bench.peers.lambda_event import Context, event


class Agent:
    """The function; a turn lists the person's conversations."""

    def turn(self, _conversation: str, _text: str) -> str:
        """Returns the list as JSON."""
        response = app.handler(event("GET", "/conversations"), Context())  # pyright: ignore[reportArgumentType]
        if response["statusCode"] != 200:
            raise RuntimeError(response["body"])
        return response["body"]
