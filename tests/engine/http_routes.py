"""Gives an HTTP API in the emulator the routes that its template describes.

AWS reads them from the OpenAPI body that SAM writes; the emulator keeps the body and makes no routes of it. So they are
made by API calls, from that body: paths, integrations and authorizers are the template's, not the test's.
"""

import re
from collections.abc import Mapping
from typing import Any

type Json = dict[str, Any]

_INTEGRATION = "x-amazon-apigateway-integration"
_AUTHORIZER = "x-amazon-apigateway-authorizer"


def make_routes(stack: str, parameters: Mapping[str, str], cloudformation: Any, gateway: Any) -> str:
    """Makes the routes of the one HTTP API of a stack; returns the id of the API."""
    processed: Json = cloudformation.get_template(StackName=stack, TemplateStage="Processed")["TemplateBody"]
    ids = {
        each["LogicalResourceId"]: each["PhysicalResourceId"]
        for each in cloudformation.describe_stack_resources(StackName=stack)["StackResources"]
    }
    name, body = next(
        (name, resource["Properties"]["Body"])
        for name, resource in processed["Resources"].items()
        if resource["Type"] == "AWS::ApiGatewayV2::Api"
    )
    api: str = ids[name]
    authorizers = {
        scheme: _make_authorizer(gateway, api, scheme, described[_AUTHORIZER], parameters)
        for scheme, described in body["components"]["securitySchemes"].items()
    }
    for path, methods in body["paths"].items():
        for method, operation in methods.items():
            integration = _make_integration(gateway, api, operation[_INTEGRATION], ids)
            (scheme,) = [name for requirement in operation["security"] for name in requirement]
            gateway.create_route(
                ApiId=api,
                RouteKey=f"{method.upper()} {path}",
                Target=f"integrations/{integration}",
                AuthorizationType="JWT",
                AuthorizerId=authorizers[scheme],
            )
    return api


def _make_authorizer(gateway: Any, api: str, name: str, described: Json, parameters: Mapping[str, str]) -> str:
    jwt = described["jwtConfiguration"]
    made = gateway.create_authorizer(
        ApiId=api,
        Name=name,
        AuthorizerType="JWT",
        IdentitySource=[described["identitySource"]],
        JwtConfiguration={
            "Issuer": parameters[jwt["issuer"]["Ref"]],
            "Audience": [parameters[audience["Ref"]] for audience in jwt["audience"]],
        },
    )
    return made["AuthorizerId"]


def _make_integration(gateway: Any, api: str, described: Json, ids: Mapping[str, str]) -> str:
    function = re.search(r"\$\{(\w+?)(?:\.Arn)?\}/invocations", described["uri"]["Fn::Sub"])
    assert function, described["uri"]
    made = gateway.create_integration(
        ApiId=api,
        IntegrationType="AWS_PROXY",
        IntegrationUri=ids[function[1]],
        PayloadFormatVersion=described["payloadFormatVersion"],
        TimeoutInMillis=described["timeoutInMillis"],
    )
    return made["IntegrationId"]
