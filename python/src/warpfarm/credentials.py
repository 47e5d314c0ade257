"""Token and certificate files of a farm."""

from __future__ import annotations

import pathlib
import ssl
from typing import List, Optional, Tuple, Union

import grpc

File = Union[str, pathlib.Path, None]


def channel_credentials(tls_ca: File, tls_cert: File, tls_key: File) -> Optional[grpc.ChannelCredentials]:
    """None without any file. Raises ValueError that names the option and the file; gRPC itself says "empty address list"."""
    if (tls_cert is None) != (tls_key is None):
        raise ValueError("tls_cert and tls_key go together")
    if tls_ca is None and tls_cert is None:
        return None
    ca, cert, key = _contents("tls_ca", tls_ca), _contents("tls_cert", tls_cert), _contents("tls_key", tls_key)
    for name, file, pem in (("tls_ca", tls_ca, ca), ("tls_cert", tls_cert, cert)):
        if pem is not None:
            try:
                ssl.create_default_context(cadata=pem.decode())
            except (ValueError, ssl.SSLError):
                raise ValueError(f"{name} names {str(file)!r}, which holds no certificate (PEM)") from None
    if tls_cert is not None:
        try:
            ssl.create_default_context().load_cert_chain(tls_cert, tls_key)
        except ssl.SSLError as error:
            raise ValueError(f"tls_cert and tls_key cannot be used: {error.reason or error}") from None
    return grpc.ssl_channel_credentials(ca, key, cert)


def authorization(token_file: File) -> List[Tuple[str, str]]:
    text = _contents("token_file", token_file)
    if text is None:
        return []
    token = text.decode(errors="replace").split("\n")[0].strip()
    if not (1 <= len(token) <= 512 and all("!" <= letter <= "~" for letter in token)):
        raise ValueError(
            f"token_file names {str(token_file)!r}, whose first line is not a token: 1 to 512 printable characters without spaces"
        )
    return [("authorization", f"Bearer {token}")]


def _contents(option: str, file: File) -> Optional[bytes]:
    if file is None:
        return None
    try:
        return pathlib.Path(file).read_bytes()
    except OSError as error:
        raise ValueError(f"{option} names {str(file)!r}, which cannot be read: {error.strerror}") from error
