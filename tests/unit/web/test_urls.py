"""A URL that may be read has one meaning, and it is a public name's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rondas.tools import ToolMistake
from rondas.web.urls import MAX_LENGTH, page_url, redirected


@pytest.mark.parametrize(
    ("url", "meant"),
    [
        ("https://www.example.org", "https://www.example.org/"),
        ("HTTPS://WWW.Example.ORG.:443/A?b=c#d", "https://www.example.org/A?b=c"),
        ("  https://www.example.org/a b\n", "https://www.example.org/a%20b"),
        ("https://www.example.org/%41/ü?q=ñ&r=%2f", "https://www.example.org/%41/%C3%BC?q=%C3%B1&r=%2f"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://faß.example/", "https://xn--fa-hia.example/"),
        ("https://ｗｗｗ。example.org/", "https://www.example.org/"),  # noqa: RUF001 - full-width letters
        ("https://www.example.org/?u=https://10.0.0.1/", "https://www.example.org/?u=https://10.0.0.1/"),
        ("https://www.example.org/\ud800", "https://www.example.org/?"),
        ("https://1.1.1.1.example.org/", "https://1.1.1.1.example.org/"),
    ],
)
def test_what_may_be_read_is_written_in_one_way(url: str, meant: str) -> None:
    assert str(page_url(url)).rstrip("?") == meant.rstrip("?")


@pytest.mark.parametrize("scheme", ["http", "ftp", "file", "gopher", "data", "javascript", "ws", "httpsx", ""])
def test_other_schemes_are_refused(scheme: str) -> None:
    with pytest.raises(ToolMistake, match="https://"):
        page_url(f"{scheme}://www.example.org/")


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "127.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "127.0.0.0x1", "1.2.3.4."),
        *("[::1]", "[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]", "[fe80::1%25eth0]", "[v1.x]"),
        *("localhost", "localhost.", "LOCALHOST", "metadata", "", ".", "..", ".org", "a..org", "-a.org", "a-.org"),
        *("１２７.0.0.1", "①②⑦.0.0.1", "127。0。0。1", "%31%32%37.0.0.1", "ex%61mple.org"),  # noqa: RUF001
        *("www.example.org\\@10.0.0.1", "exa mple.org", "exam\tple.org:x", "a" * 64 + ".org", "a." * 130 + "org"),
        *("xn--\ud800.org", "\u200d.org", "www.exam\x7fple.org", "www.example.org;a"),
    ],
)
def test_numbers_local_names_and_what_is_no_name_are_refused(host: str) -> None:
    with pytest.raises(ToolMistake, match="address"):
        page_url(f"https://{host}/latest/meta-data/")


@pytest.mark.parametrize("who", ["user@", "user:password@", "@", "www.example.org@", ":@"])
def test_user_names_and_passwords_are_refused(who: str) -> None:
    with pytest.raises(ToolMistake, match="user name"):
        page_url(f"https://{who}www.example.org/")


@pytest.mark.parametrize("port", ["80", "22", "8443", "0", "4430", "65536", "-1", "x", "443443"])
def test_other_ports_are_refused(port: str) -> None:
    with pytest.raises(ToolMistake):
        page_url(f"https://www.example.org:{port}/")


def test_an_address_as_long_as_a_message_is_refused() -> None:
    with pytest.raises(ToolMistake, match=f"{MAX_LENGTH}"):
        page_url("https://www.example.org/" + "a" * MAX_LENGTH)


@pytest.mark.parametrize(
    ("location", "meant"),
    [
        ("b", "https://www.example.org/a/b"),
        ("/b?c", "https://www.example.org/b?c"),
        ("//other.example.net", "https://other.example.net/"),
        ("?c", "https://www.example.org/a/?c"),
        ("", "https://www.example.org/a/"),
        ("/Ã¼", "https://www.example.org/%C3%BC"),  # UTF-8, as Python reads headers
    ],
)
def test_a_redirect_is_read_from_where_the_page_is(location: str, meant: str) -> None:
    assert str(redirected(page_url("https://www.example.org/a/"), location)) == meant


@given(st.text() | st.from_regex(r"(https?:)?//[a-z0-9.@:\[\]%\\/]{1,30}"))
def test_whatever_is_written_is_either_a_plain_https_url_or_a_mistake(text: str) -> None:
    for base in (None, page_url("https://www.example.org/")):
        try:
            url = redirected(base, text) if base else page_url(text)
        except ToolMistake:
            continue
        assert url == page_url(str(url))  # read again, it means the same
        assert str(url).isascii()
        assert str(url).isprintable()
        assert " " not in str(url)
        assert not url.host.rpartition(".")[2].isdigit()
