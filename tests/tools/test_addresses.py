"""Which addresses are out on the internet, which hosts are allowed, what goes through a proxy."""

import pytest

from gaia_harness.tools.addresses import is_allowed, is_public
from gaia_harness.tools.proxies import Proxies


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("2606:4700:4700::1111", True),
        ("64:ff9b::808:808", True),
        ("127.0.0.1", False),
        ("10.0.0.1", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("240.0.0.1", False),
        ("255.255.255.255", False),
        ("192.0.0.8", False),
        ("192.0.2.1", False),
        ("198.18.0.1", False),
        ("::1", False),
        ("::", False),
        ("fe80::1", False),
        ("fe80::1%eth0", False),
        ("fc00::1", False),
        ("ff02::1", False),
        ("fec0::1", False),
        ("::ffff:8.8.8.8", False),
        ("::ffff:127.0.0.1", False),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b::a00:1", False),
        ("64:ff9b:1::1", False),
        ("2002:7f00:1::", False),
        ("2001:0:7f00:1::", False),
        ("2001:db8::1", False),
        ("nonsense", False),
    ],
)
def test_only_public_addresses_are_public(address, public):
    assert is_public(address) is public


@pytest.mark.parametrize(
    ("host", "allowed", "is_it"),
    [
        ("a.example", ("a.example",), True),
        ("A.Example.", ("a.example",), True),
        ("b.a.example", ("a.example",), True),
        ("ba.example", ("a.example",), False),
        ("example", ("a.example",), False),
        ("127.0.0.1", ("127.0.0.1",), True),
        ("x.127.0.0.1", ("127.0.0.1",), False),
        ("::1", ("[::1]",), True),
        ("anything", ("",), False),
    ],
)
def test_allowed_host_means_itself_and_what_is_beneath(host, allowed, is_it):
    assert is_allowed(host, allowed) is is_it


@pytest.mark.parametrize(
    ("without", "host", "proxied"),
    [
        ("", "a.example", True),
        ("a.example", "a.example", False),
        (".a.example", "b.a.example", False),
        ("a.example", "ba.example", True),
        ("*", "anything", False),
        ("10.0.0.0/8, ::1", "10.1.2.3", False),
        ("10.0.0.0/8, ::1", "::1", False),
        ("10.0.0.0/8", "11.1.2.3", True),
    ],
)
def test_no_proxy_is_understood(without, host, proxied):
    proxies = Proxies.from_env({"ALL_PROXY": "proxy.example:3128", "no_proxy": without})
    assert proxies.proxy_for("https", host) == ("http://proxy.example:3128" if proxied else None)
