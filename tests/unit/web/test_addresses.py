"""Only addresses that lead to a server for everybody are public."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rondas.web.addresses import is_public

PRIVATE_V4 = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.1.1", "172.16.0.1", "100.64.0.1"]


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.215.14", "223.255.255.254", "2606:4700::1111", "2a00:1450::1"])
def test_servers_for_everybody_are_public(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        *PRIVATE_V4,
        *("0.0.0.0", "0.1.2.3", "127.255.255.255", "192.0.0.9", "192.0.0.10", "192.0.2.1", "192.88.99.1"),
        *("198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"),
        *("::", "::1", "fe80::1", "fe80::1%eth0", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1", "ff0e::1"),
        *("100::1", "2001:db8::1", "3fff::1", "5f00::1", "4000::1", "2001::1", "2001:1::1", "2001:20::1"),
    ],
)
def test_what_is_meant_for_some_or_for_nobody_is_not_public(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("inner", [*PRIVATE_V4, "8.8.8.8"])
@pytest.mark.parametrize(
    ("prefix", "shift"),
    [
        ("::ffff:0:0", 0),  # IPv4-mapped
        ("::", 0),  # IPv4-compatible
        ("::ffff:0:0:0", 0),  # IPv4-translated
        ("64:ff9b::", 0),  # NAT64
        ("64:ff9b:1::", 0),  # NAT64 for one network
        ("2002::", 80),  # 6to4
        ("2001::", 64),  # Teredo, the server
        ("2001::", 0),  # Teredo, the client
    ],
)
def test_an_address_within_an_address_is_not_public(prefix: str, shift: int, inner: str) -> None:
    assert not is_public(IPv6Address(int(ip_address(prefix)) | int(ip_address(inner)) << shift))


@given(st.ip_addresses())
def test_it_is_never_less_strict_than_python_and_stricter_only_where_said(address: IPv4Address | IPv6Address) -> None:
    stricter = ["192.0.0.0/24", "192.88.99.0/24", "224.0.0.0/4", "2001::/23", "3fff::/20"]
    beyond = any(address in ip_network(network) for network in stricter) or (
        address.version == 6 and address not in ip_network("2000::/3")
    )
    assert is_public(address) == (address.is_global and not beyond)
