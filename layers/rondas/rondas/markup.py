"""Tells HTML from text that only has a `<` in it, and leaves its words (see `rondas.html`)."""

import re

_ELEMENT = (
    "a|article|aside|b|blockquote|body|br|code|dd|div|dl|dt|em|figure|footer|form|h[1-6]|head|header|hr|html|i|iframe"
    "|img|label|li|link|main|meta|nav|ol|option|p|pre|script|section|select|small|span|strong|style|sub|sup|svg|table"
    "|tbody|td|tfoot|th|thead|title|tr|u|ul|video"
)
_DOCUMENT = re.compile(
    r"\s*(<\?xml[^>]*>\s*)?(?><!--.*?-->\s*)*+<(!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE | re.DOTALL
)
_BEGINS = re.compile(rf"\s*<({_ELEMENT})(\s[^<>]*)?/?>", re.IGNORECASE)
_ENDS = re.compile(rf"</({_ELEMENT})\s*>\s*\Z", re.IGNORECASE)
_LONGEST_END = 200


def is_html(text: str) -> bool:
    """Whether a text is HTML: a document, whole or cut off, or a fragment from a first tag to a closing one.

    A text with tags in the middle is left alone: it can be read as it is, and may well be about HTML.
    """
    if "<" not in text:
        return False
    if _DOCUMENT.match(text):
        return True
    return _BEGINS.match(text) is not None and _ENDS.search(text[-_LONGEST_END:]) is not None


def without_markup(text: str) -> str:
    """Returns the main text of a text that is HTML, and any other text as it is."""
    if not is_html(text):
        return text
    from rondas.html import main_text  # noqa: PLC0415 - most results hold no HTML, and a cold start should not pay

    return main_text(text)
