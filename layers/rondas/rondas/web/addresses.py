"""Which addresses are public: those of servers for everybody, not of this machine, this cloud or somebody's house."""

from ipaddress import IPv4Address, ip_network

from rondas.resolve import Address

_GLOBAL_UNICAST = ip_network("2000::/3")
"""All that is given out of IPv6. Outside of it lie the forms that carry an IPv4 address past a check, such as
`::ffff:10.0.0.1`, `::10.0.0.1` and NAT64's `64:ff9b::10.0.0.1`, and what is meant for one network alone."""

_NOT_PUBLIC = [
    ip_network(network)
    for network in (
        "192.0.0.0/24",  # protocol assignments, of which Python lets two pass
        "192.88.99.0/24",  # relays of 6to4
        "224.0.0.0/4",  # multicast
        "2001::/23",  # protocol assignments, of which Python lets some pass; Teredo, which carries an IPv4 address
        "3fff::/20",  # documentation
    )
]
"""Refused beyond what Python's `is_global` refuses, after IANA's special-purpose registries."""


def is_public(address: Address) -> bool:
    """Whether an address is globally reachable, one receiver's, and carries no other address within."""
    if not isinstance(address, IPv4Address) and address not in _GLOBAL_UNICAST:
        return False
    return address.is_global and not any(address in network for network in _NOT_PUBLIC)
