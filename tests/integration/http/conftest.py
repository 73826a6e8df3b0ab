"""Both functions behind one door, with a model that always has an answer."""

from dataclasses import replace

import pytest
from chat_function import Chat
from http_door import Door, Ready


@pytest.fixture
def door(chat: Chat) -> Door:
    vars(chat.app)["agent"] = replace(chat.app.agent, model=Ready())
    return Door.of(chat)
