"""The API's document as a page of the local server alone. Powertools ships what shows it, so it needs no internet."""

import json
from importlib.resources import files

from aws_lambda_powertools.event_handler.openapi.swagger_ui.html import generate_swagger_html

from local.environment import PERSON
from local.openapi import DOCUMENT
from local.payload import Request, Response
from local.token import bearer

PATH = "/docs"

ASSETS = files("aws_lambda_powertools.event_handler.openapi.swagger_ui")

SIGN_IN = """<script>
(function signIn(triesLeft) {{
  if (ui.specSelectors.specJson().size) ui.preauthorizeApiKey("jwt", "{token}");
  else if (triesLeft) setTimeout(signIn, 50, triesLeft - 1);
}})(100);
</script>
</html>"""


def page_of(request: Request) -> Response | None:
    """Returns the page, or the document with `?format=json`; None where something else is asked for."""
    if (request.method, request.path) != ("GET", PATH):
        return None
    # The page asks the server that it came from.
    document = json.loads(DOCUMENT.read_text(encoding="utf-8")) | {"servers": [{"url": "/"}]}
    text = json.dumps(document, ensure_ascii=False)
    if request.query == "format=json":
        return Response(200, [("content-type", "application/json")], text.encode())
    return Response(200, [("content-type", "text/html; charset=utf-8")], _html(text).encode())


def _html(document: str) -> str:
    page = generate_swagger_html(
        document.replace("</", "<\\/"),  # nothing in it ends the script that it stands in
        (ASSETS / "swagger-ui-bundle.min.js").read_text(encoding="utf-8"),
        (ASSETS / "swagger-ui.min.css").read_text(encoding="utf-8"),
        "",
        None,
    )
    return page.replace("<title>Swagger UI</title>", "<title>Rondas</title>").removesuffix("</html>") + SIGN_IN.format(
        token=bearer(PERSON)
    )
