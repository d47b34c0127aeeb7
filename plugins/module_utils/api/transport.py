# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a failed exchange proves: whether a byte of the request may have left. Decided on types, never on texts."""

from __future__ import annotations

import errno
import ssl
import typing as t
from dataclasses import dataclass

try:
    import requests.exceptions as failures
    import urllib3.exceptions as inner
except ImportError:  # told when a session is made
    pass


@dataclass(frozen=True)
class Failure:
    """``sent`` is False only when it is proven that nothing left; ``fatal`` when no other member would do better."""

    why: str
    sent: bool
    fatal: bool = False
    untrusted: bool = False  # the certificate is not one that is trusted
    stale: bool = False  # closed without an answer: on a reused connection that is most likely the idle timeout


def caught() -> tuple[type[BaseException], ...]:
    """What to catch around an exchange. A bad header may be a UnicodeError."""
    return (failures.RequestException, inner.HTTPError, OSError, UnicodeError)


def classify(error: BaseException) -> Failure:
    """The table of the wire: first match wins, subclasses stand before their bases."""
    for matches, judge in _TABLE:
        if matches(error):
            return judge(error)
    return Failure(f"the exchange broke ({_kind(error)})", sent=True)


def _chain(error: BaseException) -> t.Iterator[BaseException]:
    """The error and everything inside it, as requests and urllib3 nest it."""
    seen: set[int] = set()
    queue = [error]
    while queue:
        current = queue.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        nested = [getattr(current, "reason", None), current.__cause__, current.__context__, *current.args]
        queue += [item for item in nested if isinstance(item, BaseException)]


def _find(error: BaseException, kind: type[BaseException]) -> t.Any:
    return next((item for item in _chain(error) if isinstance(item, kind)), None)


def _reason(error: BaseException) -> BaseException | None:
    """Why urllib3 gave up before there was a connection; None when there was one."""
    first = error.args[0] if error.args else None
    return first.reason if isinstance(first, inner.MaxRetryError) else None


def _kind(error: BaseException) -> str:
    return type(list(_chain(error))[-1]).__name__


def _is(*kinds: str) -> t.Callable[[BaseException], bool]:
    return lambda error: isinstance(error, tuple(getattr(failures, kind) for kind in kinds))


def _unconnected(error: BaseException) -> bool:
    return _is("ConnectionError")(error) and isinstance(_reason(error), inner.NewConnectionError)


def _why_unconnected(error: BaseException) -> Failure:
    resolution = getattr(inner, "NameResolutionError", ())
    if isinstance(_reason(error), resolution):
        return Failure("the name does not resolve", sent=False)
    # requests' own errors are OSErrors too, without a number.
    number = next((item.errno for item in _chain(error) if isinstance(item, OSError) and item.errno), 0)
    return Failure(_WORDS.get(number, "no connection"), sent=False)


def _why_certificate(error: BaseException) -> Failure:
    refused = _find(error, ssl.SSLCertVerificationError)
    text = getattr(refused, "verify_message", "") or str(refused.args[0] if refused.args else "refused")
    return Failure(f"certificate not accepted: {text}", sent=False, untrusted=True)


def _why_config(error: BaseException) -> Failure:
    # Only the kind of error: the text of a bad header quotes the header.
    return Failure(f"the request cannot be made ({type(error).__name__})", sent=False, fatal=True)


def _not_a_request_error(error: BaseException) -> bool:
    return not isinstance(error, (failures.RequestException, inner.HTTPError))


_WORDS: t.Final = {
    errno.ECONNREFUSED: "connection refused",
    errno.EHOSTUNREACH: "no route to host",
    errno.ENETUNREACH: "network unreachable",
    errno.ENOENT: "there is no such socket",
    errno.EACCES: "no permission for the socket",
}

_Row = tuple[t.Callable[[BaseException], bool], t.Callable[[BaseException], Failure]]

_TABLE: t.Final[tuple[_Row, ...]] = (
    (_is("InvalidURL", "InvalidSchema", "MissingSchema", "InvalidHeader", "InvalidProxyURL"), _why_config),
    (lambda error: isinstance(error, UnicodeError), _why_config),
    (_not_a_request_error, lambda error: Failure(f"the exchange broke ({_kind(error)})", sent=True, fatal=True)),
    (_is("ProxyError"), lambda _: Failure("the proxy failed", sent=True)),
    (_is("ConnectTimeout"), lambda _: Failure("no connection in time", sent=False)),
    (
        lambda error: _is("SSLError")(error) and _find(error, ssl.SSLCertVerificationError) is not None,
        _why_certificate,
    ),
    (_is("SSLError"), lambda _: Failure("TLS failed", sent=True)),
    (_unconnected, _why_unconnected),
    (
        lambda error: _is("Timeout")(error) or _find(error, inner.ReadTimeoutError) is not None,
        lambda _: Failure("no answer in time", sent=True),
    ),
    (_is("ChunkedEncodingError", "ContentDecodingError"), lambda _: Failure("the answer broke off", sent=True)),
    (
        lambda error: _find(error, inner.ProtocolError) is not None and _find(error, TimeoutError) is None,
        lambda _: Failure("the connection was closed without an answer", sent=True, stale=True),
    ),
)
