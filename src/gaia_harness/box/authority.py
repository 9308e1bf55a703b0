"""A certificate authority for one run, so that the gateway can read what a box sends over TLS.

The key is made for the run, stays in memory and is gone with it. Only programs in the box trust the certificate.
"""

import datetime
import ipaddress
import os
import re
import ssl
from functools import cached_property

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from gaia_harness.tools.containment import in_memory

VALID = datetime.timedelta(days=30)
EARLIER = datetime.timedelta(days=2)
MOST_HOSTS = 4096
"""Hosts for which a certificate is kept: a program that makes up names must not fill the memory."""


_HOST = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,252}")


class _HostContext(ssl.SSLContext):
    """The TLS of one host."""

    host = ""


def asked_host(connection: ssl.SSLObject) -> str:
    """The host that a program asked for when it began to speak TLS; empty where it named none."""
    return getattr(connection.context, "host", "")


class Authority:
    """Makes a certificate for any host. `now` is when the run began."""

    def __init__(self, now: datetime.datetime) -> None:
        self._now = now
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._leaf_key = ec.generate_private_key(ec.SECP256R1())  # one for all hosts: it never leaves this process
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "gaia-harness, for this run only")])
        self._contexts: dict[str, ssl.SSLContext] = {}
        usage = x509.KeyUsage(
            **dict.fromkeys(
                (
                    *("digital_signature", "content_commitment", "key_encipherment", "data_encipherment"),
                    *("key_agreement", "encipher_only", "decipher_only"),
                ),
                False,
            ),
            key_cert_sign=True,
            crl_sign=True,
        )
        self._certificate = (
            self._builder(self._name, self._key.public_key())
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(usage, critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), critical=False)
            .sign(self._key, hashes.SHA256())
        )

    @cached_property
    def pem(self) -> bytes:
        """The certificate that programs in the box are to trust."""
        return self._certificate.public_bytes(serialization.Encoding.PEM)

    def context(self) -> ssl.SSLContext:
        """The TLS of the gateway: each connection gets the certificate of the host that it asks for."""
        context = self._new_context("")

        def choose(connection: ssl.SSLObject, host: str | None, _: ssl.SSLContext) -> int | None:
            if host and not _HOST.fullmatch(host):
                return ssl.AlertDescription.ALERT_DESCRIPTION_UNRECOGNIZED_NAME
            if host:
                connection.context = self._context_for(host.rstrip(".").lower())
            return None

        context.sni_callback = choose
        return context

    def _context_for(self, host: str) -> ssl.SSLContext:
        if host not in self._contexts:
            if len(self._contexts) >= MOST_HOSTS:
                self._contexts.clear()
            self._contexts[host] = self._new_context(host)
        return self._contexts[host]

    def _new_context(self, host: str) -> ssl.SSLContext:
        name: x509.GeneralName
        try:
            name = x509.IPAddress(ipaddress.ip_address(host))
        except ValueError:
            name = x509.DNSName(host[:253] or "gateway.invalid")
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host[:64] or "gateway.invalid")])
        leaf = (
            self._builder(subject, self._leaf_key.public_key())
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName([name]), critical=False)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        context = _HostContext(ssl.PROTOCOL_TLS_SERVER)
        context.host = host
        context.set_alpn_protocols(["http/1.1"])
        chain = leaf.public_bytes(serialization.Encoding.PEM) + self._leaf_key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        file = in_memory(chain)  # OpenSSL takes a key from a file only: this one has no name
        try:
            context.load_cert_chain(f"/proc/self/fd/{file}")
        finally:
            os.close(file)
        return context

    def _builder(self, subject: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(self._now - EARLIER)
            .not_valid_after(self._now + VALID)
        )
