"""The person is the `sub` of whatever provider issued the token, as API Gateway hands its claims on."""

import base64
import json
from typing import Any

import pytest
from http_door import Door

CLAIMS: dict[str, dict[str, Any]] = {
    "Cognito, access token": {
        "sub": "9c2e5a14-70b1-70aa-3f4e-5d2b8a1c9e77",
        "cognito:groups": ["eu-west-1_abc_Google", "members"],
        "iss": "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_abc",
        "version": 2,
        "client_id": "6a1b2c3d4e5f6g7h8i9j0k1l2m",
        "token_use": "access",
        "scope": "openid email",
        "username": "google_117364512",
    },
    "Cognito, id token": {
        "sub": "9c2e5a14-70b1-70aa-3f4e-5d2b8a1c9e77",
        "email_verified": True,
        "cognito:username": "ana",
        "aud": "6a1b2c3d4e5f6g7h8i9j0k1l2m",
        "identities": [{"userId": "117364512", "providerName": "Google", "primary": "true"}],
        "token_use": "id",
    },
    "Auth0": {
        "sub": "google-oauth2|117364512",
        "iss": "https://tenant.eu.auth0.com/",
        "aud": ["https://api.example.com", "https://tenant.eu.auth0.com/userinfo"],
        "azp": "client",
        "scope": "openid profile",
        "https://example.com/roles": ["member"],
    },
    "Firebase": {
        "sub": "Zk3vYx0PqRbN8mT5uW1sA7cD2eF9",
        "user_id": "Zk3vYx0PqRbN8mT5uW1sA7cD2eF9",
        "iss": "https://securetoken.google.com/project",
        "aud": "project",
        "auth_time": 1_796_000_000,
        "email": None,
        "firebase": {"identities": {"email": ["ana@example.com"]}, "sign_in_provider": "password"},
    },
}


def token(claims: dict[str, Any]) -> str:
    payload = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    return f"Bearer e30.{payload}.signature"


@pytest.mark.parametrize("provider", CLAIMS)
def test_a_token_of_any_provider_names_its_person(door: Door, provider: str) -> None:
    # Given a conversation of somebody with such a token
    theirs = token(CLAIMS[provider])
    path = "/conversations/c-1/messages"
    assert door.ask("POST", path, b'{"text": "hello"}', user=None, authorization=theirs).status == 200
    # When they and others ask for it, then it is theirs alone
    assert door.ask("GET", path, user=None, authorization=theirs).status == 200
    assert door.ask("GET", path, user="ana").status == 404
    for other in CLAIMS.values():
        if other["sub"] != CLAIMS[provider]["sub"]:
            assert door.ask("GET", path, user=None, authorization=token(other)).status == 404


@pytest.mark.parametrize("claim", ["email", "user_id", "username", "cognito:username", "client_id"])
def test_no_other_claim_is_taken_for_the_person(door: Door, claim: str) -> None:
    assert door.ask("GET", "/conversations", user=None, authorization=token({claim: "ana"})).status == 401
