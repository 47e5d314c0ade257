"""What went wrong with the farm, not with the kernel."""

from __future__ import annotations

import re
from typing import Union


class FarmError(Exception):
    """The farm or the warpfarm command refused a call, or could not be reached. `code` is the name of the gRPC status, or the
    exit code (127: there is no such command).
    """

    def __init__(self, message: str, code: Union[str, int]) -> None:
        super().__init__(message)
        self.code = code


#: gRPC's words of a failed connection, and what the warpfarm command says then.
_REASONS = [
    (r"Connection refused", "nothing listens there"),
    (r"DNS resolution failed", "no machine of that name is known"),
    (r"wrong version number|WRONG_VERSION_NUMBER", "it does not speak TLS; leave tls_ca out"),
    (r"certificate verify failed|CERTIFICATE_VERIFY_FAILED", "the authority of tls_ca did not sign its certificate, or it has expired"),
    (r"Peer name (\S+) is not in peer certificate", r"its certificate is not for the name \1"),
    (r"certificate required|CERTIFICATE_REQUIRED|Endpoint read failed", "it requires a client certificate: give tls_cert and tls_key"),
    (
        r"Socket closed|Connection reset",
        "it ends connections at once; if it speaks TLS, give tls_ca, or a tls_cert of an authority that it knows",
    ),
]
#: These do not pass.
_LASTING = re.compile("|".join(words for words, _ in _REASONS[2:5]))


def is_lasting(details: str) -> bool:
    """Is another try in vain?"""
    return _LASTING.search(details) is not None


def farm_error(address: str, code: str, details: str) -> FarmError:
    """A failed call in the words of the warpfarm command."""
    if code == "UNAUTHENTICATED":
        return FarmError(f"{address}: {details}; token_file names the file that has it", code)
    if code in ("UNAVAILABLE", "DEADLINE_EXCEEDED"):
        for words, why in _REASONS:
            found = re.search(words, details)
            if found:
                return FarmError(f"cannot reach the tracker at {address}: {found.expand(why)}", code)
        return FarmError(f"cannot reach the tracker at {address}: {details}", code)
    return FarmError(f"{address}: {details}", code)
