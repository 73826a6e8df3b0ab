"""Where the providers' API keys come from: a secret in AWS, plain variables on a laptop."""

import os
from collections.abc import Callable, Mapping
from typing import Any, cast

from aws_lambda_powertools.utilities import parameters

from rondas.settings import SettingsError

SECRET_MAX_AGE_SECONDS = 300
"""How long a fetched key is used before it is looked up again; a rotated key is picked up after this."""


def key_source(secret_arn: str, environment: Mapping[str, str] = os.environ) -> Callable[[str], str]:
    """Returns what looks up a key by the name of its variable.

    Args:
        secret_arn: a secret whose JSON object holds the keys by name; empty on a laptop.
        environment: where the keys are otherwise.

    What is returned raises `SettingsError` where there is no such key, naming the variable and never a value.
    """

    def from_secret(name: str) -> str:
        secret = cast("Any", parameters).get_secret(secret_arn, transform="json", max_age=SECRET_MAX_AGE_SECONDS)
        return _found(name, secret.get(name), "the secret API_KEYS_SECRET_ARN")

    def from_environment(name: str) -> str:
        return _found(name, environment.get(name), "the environment")

    return from_secret if secret_arn else from_environment


def _found(name: str, value: object, place: str) -> str:
    if not isinstance(value, str) or not value:
        raise SettingsError(f"{name}: is not set in {place}")
    return value
