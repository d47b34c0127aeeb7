# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/families.md, made from the families' tables."""

from __future__ import annotations

import re
import typing as t
from collections.abc import Iterable, Iterator, Mapping

from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.family import Family
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.info import Info
from ansible_collections.homeflare.proxmox.plugins.module_utils.engine.key import NOTHING, Clear, DefaultBy, Key
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.kind import Kind
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.lists import AtLeast, ListOf, SetOf
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.network import Address, Cidr, FirewallCidr, Mac
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.propstr import PropertyMap
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.scalars import (
    CheckedText,
    Enum,
    Flag,
    Integer,
    Number,
    Text,
)
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.sizes import Size
from ansible_collections.homeflare.proxmox.plugins.module_utils.wire.tags import Tags

INTRODUCTION = """\
# Families

<!-- made by ./dev docs from the tables in plugins/module_utils/families; edit those -->

One family is one kind of object, one module and one table. What a family's table says is what its module takes,
compares and sends; this page is made from the tables. `ansible-doc homeflare.proxmox.NAME` says what each option means.

**Keys** are the options whose values are compared with what PVE stores. A key that a task does not declare is not
managed. The columns:

- *kind*: the form of the value. Every spelling of a value that PVE treats as the same is the same here too. A set has
  no order, a list has one; a property string may be given as text or as a dict.
- *when absent*: the value that PVE's silence means; declaring it is no difference. Where there is none, a key that is
  not there equals no value.
- *cleared by*: what is sent to PVE for a key under `delete`. Keys with "never" cannot stand there; they are given
  another value instead.
- *more*: "needed": creating the object needs it. "fixed": set at creation; another value is refused. "sent again": goes
  along with every change, as PVE asks for it. "write-only": cannot be read, so it is sent by `update_secret` and never
  compared. "hidden": compared, never shown. Names in brackets are the types of object that it is for.

**Refused** means that the task fails before anything is written, in check mode too, with a sentence that says why and
what to do. The word in front is the `id` under `refusals` in the result. Beside those that are listed, a family has
these where its keys give occasion:

| id | refused is |
|---|---|
| `missing` | creating an object without a key that it needs |
| `required` | clearing such a key |
| `create-only` | another value of a key that is fixed at creation |
| `requires` | a key that PVE takes only together with another one, without that one |
| `not-of-type` | a key that objects of this type do not have |
| `retain` | `state: absent` without `confirm_destroy`, where the object holds what its declaration does not |

**Needs** names the families whose objects have to be there first; `homeflare.proxmox.estate` writes in that order.
"""

_CLEARS = {
    Clear.DELETE: "`delete=key`",
    Clear.EMPTY: "an empty value",
    Clear.OMIT: "leaving it out",
    Clear.NEVER: "never",
}
#: ``mp0`` and its like stand for all of their number.
_NUMBERED = re.compile(r"([a-z]+)(\d+)")


def page(families: Mapping[str, Family], lookups: Mapping[str, Info]) -> str:
    """The whole page."""
    parts = [INTRODUCTION, _contents(families)]
    parts += ["\n".join(_section(family, families)) for _name, family in sorted(families.items())]
    return "\n".join([*parts, _lookups(lookups)])


def _contents(families: Mapping[str, Family]) -> str:
    rows = [
        f"| [`{name}`](#{name}) | {_codes(family.identity)} | {_codes(_needs(family, families))} "
        f"| {_codes(family.refuses)} |"
        for name, family in sorted(families.items())
    ]
    return "\n".join(["| family | named by | needs | refusals of its own |", "|---|---|---|---|", *rows, ""])


def _needs(family: Family, families: Mapping[str, Family]) -> list[str]:
    """A table may name families that are to come."""
    return [name for name in family.needs if name in families]


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _lookups(lookups: Mapping[str, Info]) -> str:
    rows = [f"| `{name}` | {_codes(info.returns)} | {_prose(info.read)} |" for name, info in sorted(lookups.items())]
    return "\n".join(
        ["## Lookups", "", "These only read.", "", "| module | returns | needs |", "|---|---|---|", *rows, ""]
    )


def _section(family: Family, families: Mapping[str, Family]) -> Iterator[str]:
    yield f"## {family.name}"
    yield ""
    yield f"- Named by {'; '.join(_identity(name, kind, family) for name, kind in family.identity.items())}."
    if family.config:
        yield f"- Keys are declared under `{family.config}`, in PVE's own spelling."
    if _needs(family, families):
        yield f"- Needs {_codes(_needs(family, families))}."
    if family.retain:
        yield "- `state: absent` needs `confirm_destroy`: what the object holds cannot be rebuilt from its declaration."
    if family.options:
        yield f"- Options beside the keys: {_codes(sorted(family.options))}."
    yield f"- {_digest(family)}"
    yield f"- Privileges to read: {_prose(family.privileges.read)}."
    yield f"- Privileges to write: {_prose(family.privileges.write)}."
    yield ""
    yield from _keys(family)
    yield ""
    if family.refuses:
        yield "| id | refused is |"
        yield "|---|---|"
        yield from (f"| `{name}` | {_escaped(phrase)} |" for name, phrase in family.refuses.items())
    else:
        yield "Refused is only what the table implies."
    yield ""


def _identity(name: str, kind: Kind, family: Family) -> str:
    """An option that names the object, with its kind where that says more than that it is a text."""
    told = [words(kind)] if words(kind) != "text" else []
    told += ["may be left out"] if name in family.optional else []
    return f"`{name}`" + (f" ({_escaped(', '.join(told))})" if told else "")


def _escaped(text: str) -> str:
    """``<vmid>`` is no tag, and ``|`` ends no cell."""
    return text.replace("<", "&lt;").replace("|", "\\|")


def _digest(family: Family) -> str:
    if family.digest:
        return "A write carries the digest of the read that it was judged by, so PVE notices an edit in between."
    return "A write carries no digest, so PVE does not notice an edit between the read and the write."


def _prose(text: str) -> str:
    """Privileges and paths as code."""
    return re.sub(r"(?<![\w/.])(/[\w{}/.]*|(?:[A-Z]\w+\.)+[A-Z]\w+)", _code, text)


def _code(match: re.Match[str]) -> str:
    bare = match.group().rstrip(".")
    return f"`{bare}`" + match.group()[len(bare) :]


# ---- keys


def _keys(family: Family) -> Iterator[str]:
    yield "| key | kind | when absent | cleared by | more |"
    yield "|---|---|---|---|---|"
    for name, key in family.keys.items():
        if key.internal or _repeats(name, key, family):
            continue
        cells = [_name(name, key, family), words(key.kind), _default(key), _clear(key), _more(key)]
        yield "| " + " | ".join(map(_escaped, cells)) + " |"


def _repeats(name: str, key: Key, family: Family) -> bool:
    """Whether this is ``mp1``, of which ``mp0`` has told all."""
    match = _NUMBERED.fullmatch(name)
    return bool(match and match[2] != "0" and family.keys.get(f"{match[1]}0") == key)


def _name(name: str, key: Key, family: Family) -> str:
    match = _NUMBERED.fullmatch(name)
    if match and match[2] == "0":
        found = [_NUMBERED.fullmatch(other) for other in family.keys]
        last = max(int(one[2]) for one in found if one and one[1] == match[1])
        if last:
            return f"`{name}` to `{match[1]}{last}`"
    option = family.option_of(name)
    return f"`{option}`" if option == name or option == name.replace("-", "_") else f"`{option}` (PVE: `{name}`)"


def _default(key: Key) -> str:
    if isinstance(key.default, DefaultBy):
        return _default_by(key.default, key.kind)
    return _value(key.default, key.kind)


def _default_by(default: DefaultBy, kind: Kind) -> str:
    """``x (a, b); y (c)``: by the types that share a default."""
    types_of: dict[str, list[str]] = {}
    for name, value in default.values.items():
        types_of.setdefault(_value(value, kind), []).append(name)
    return "; ".join(f"{value} ({', '.join(names)})" for value, names in types_of.items())


def _value(default: object, kind: Kind) -> str:
    if default is NOTHING:
        return ""
    shown = kind.show(kind.canon(default))
    if shown in ("", [], {}, ()):
        return "empty"
    if isinstance(shown, bool):
        return f"`{str(shown).lower()}`"
    if isinstance(shown, (list, tuple)):
        return f"`{', '.join(map(str, shown))}`"
    return f"`{shown}`"


def _clear(key: Key) -> str:
    kept = key.create_only is True or key.required is True or key.secret
    return "never" if kept else _CLEARS[key.clear]


def _more(key: Key) -> str:
    marks = (
        ("needed" + _types(key.required), bool(key.required)),
        ("fixed" + _types(key.create_only), bool(key.create_only)),
        ("sent again", key.resend),
        (f"only with `{key.requires}`", key.requires is not None),
        ("write-only", key.secret),
        ("hidden", key.hidden and not key.secret),
        (f"[{', '.join(key.types)}]", bool(key.types)),
    )
    return ", ".join(text for text, holds in marks if holds)


def _types(said: bool | tuple[str, ...]) -> str:
    return f" ({', '.join(said)})" if isinstance(said, tuple) else ""


# ---- kinds

#: Kinds of which there is nothing more to say.
_PLAIN: tuple[tuple[type[Kind], str], ...] = (
    (Flag, "flag"),
    (CheckedText, "text"),
    (Mac, "MAC address"),
    (Address, "IP address"),
    (Cidr, "address with a prefix length"),
    (FirewallCidr, "address or network"),
    (Size, "size"),
    (Tags, "set of tags"),
)
_ARTICLE = re.compile(r"(a|an|the) ")


def words(kind: Kind) -> str:
    """A kind for a person."""
    plain = next((text for known, text in _PLAIN if isinstance(kind, known)), None)
    return plain or next((tell(kind) for known, tell in _TELL if isinstance(kind, known)), None) or _other(kind)


def _number(kind: t.Any) -> str:
    return ("whole number" if isinstance(kind, Integer) else "number") + _bounds(kind.minimum, kind.maximum)


def _list(kind: t.Any) -> str:
    return f"{'set' if isinstance(kind, SetOf) else 'list'} of {_many(kind.item)}"


def _text(kind: t.Any) -> str:
    return (_ARTICLE.sub("", kind.expected, count=1) if kind.expected else "text") + _length(kind)


def _bounds(minimum: object, maximum: object) -> str:
    if minimum is not None and maximum is not None:
        return f", {minimum} to {maximum}"
    return f", at least {minimum}" if minimum is not None else f", at most {maximum}" if maximum is not None else ""


def _length(kind: Text) -> str:
    if kind.min_length is not None and kind.max_length is not None:
        return f", {kind.min_length} to {kind.max_length} characters"
    return f", at most {kind.max_length} characters" if kind.max_length is not None else ""


def _many(item: Kind) -> str:
    """Elements of a list."""
    text = words(item)
    head, comma, rest = text.partition(", ")
    if isinstance(item, Enum):
        return text.removeprefix("one of ")
    plural = {"text": "texts", "whole number": "whole numbers", "number": "numbers", "IP address": "IP addresses"}
    return plural[head] + comma + rest if head in plural else f"texts ({text})"


def _property_string(kind: t.Any) -> str:
    if not kind.subs:
        return "property string"
    return f"property string of {_codes(kind.subs)}" + (" and others" if kind.open else "")


_TELL: tuple[tuple[type[Kind], t.Callable[[t.Any], str]], ...] = (
    (AtLeast, lambda kind: words(kind.whole)),
    (Enum, lambda kind: f"one of {', '.join(kind.choices)}"),
    (Integer, _number),
    (Number, _number),
    (ListOf, _list),
    (PropertyMap, _property_string),
    (Text, _text),
)


def _other(kind: Kind) -> str:
    """What a family made for itself says in its docstring: the first sentence, without article and full stop."""
    text = " ".join((type(kind).__doc__ or type(kind).__name__).split("\n\n", maxsplit=1)[0].split())
    sentence = re.split(r"\.(?:\s|$)|[;:]\s| \(", text.replace("``", "`"))[0]
    sentence = sentence if sentence.startswith("`") else sentence[:1].lower() + sentence[1:]
    return _ARTICLE.sub("", sentence, count=1)
