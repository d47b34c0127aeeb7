# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where fakepve answers otherwise than PVE does: each difference has a name, a source, and a test that shows both.

A correction may look at a call before it goes to fakepve (and change its values, or answer itself), and at the answer
before it goes to the client. "measured N" is a numbered answer of PVE's own API server, "spellings" the table of
values that were sent to it and read back; files are of PVE's source. `Lab.configure(without=[name])` switches one off.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from . import corrections_guest as guest
from . import corrections_more as more
from . import corrections_refuse as refusals
from .sections.table import Call
from .wire import Answer

CONFIG = "/nodes/{node}/lxc/{vmid}/config"
PENDING = "/nodes/{node}/lxc/{vmid}/pending"
CREATE = "/nodes/{node}/lxc"
GUEST = "/nodes/{node}/lxc/{vmid}"
RESOURCES = "/cluster/resources"
POOLS, POOL = "/pools", "/pools/{poolid}"

PUT_CONFIG = (("PUT", CONFIG),)
WRITE_CONFIG = (("PUT", CONFIG), ("POST", CREATE))
POWER = tuple(("POST", f"{GUEST}/status/{verb}") for verb in ("start", "stop"))
READ_CONFIG = (("GET", CONFIG), ("GET", PENDING))
ALIASES = ("/cluster/firewall/aliases", "/nodes/{node}/lxc/{vmid}/firewall/aliases")
WRITE_ALIAS = tuple((method, path) for base in ALIASES for method, path in (("POST", base), ("PUT", base + "/{name}")))
KINDS = ("lxc", "qemu")
STATUS = tuple(("GET", f"/nodes/{{node}}/{kind}/{{vmid}}/status/current") for kind in KINDS)
DESTROY = tuple(("DELETE", f"/nodes/{{node}}/{kind}/{{vmid}}") for kind in KINDS)
NODE_STORAGE = tuple(("GET", "/nodes/{node}/storage" + part) for part in ("", "/{storage}/status"))
ANY_POOL = tuple((method, path) for method in ("GET", "POST", "PUT", "DELETE") for path in (POOLS, POOL))


@dataclass(frozen=True)
class Correction:
    name: str
    source: str
    calls: tuple[tuple[str, str], ...]
    before: Callable[[Call], Answer | None] | None = None
    after: Callable[[Call, Answer], Answer] | None = None


# In order: refusals first, then what changes values, then what learns from or reshapes answers.
CORRECTIONS: tuple[Correction, ...] = (
    Correction("token-is-never-root", "measured 17, 20; pve-container LXC.pm check_ct_modify_config_perm",
               WRITE_CONFIG, before=refusals.refuse_root_only),
    Correction("skiplock-is-for-root", "pve-container API2/LXC/Status.pm",
               POWER, before=refusals.refuse_skiplock),
    Correction("no-slaac-host-managed", "spellings: net1 with host-managed=1,ip6=auto",
               WRITE_CONFIG, before=refusals.refuse_host_managed_slaac),
    Correction("nested-pool-has-no-path", "pve-manager API2/Pool.pm: only the query form nests",
               ANY_POOL, before=refusals.refuse_nested_pool_path),
    Correction("guest-in-use-stays", "pve-container API2/LXC.pm destroy_vm; qemu-server API2/Qemu.pm",
               DESTROY, before=more.refuse_guest_in_use),
    Correction("alias-as-the-file-holds-it", "pve-firewall Firewall.pm format_aliases, parse_alias",
               WRITE_ALIAS, before=more.plain_alias),
    Correction("a-new-guest-has-no-past", "a vmid may be used again", (("POST", CREATE),), before=guest.forget),
    Correction("lists-take-any-separator", "pve-common split_list",
               PUT_CONFIG, before=guest.join_delete),
    Correction("nameserver-is-space-joined", "measured 24 and spellings: nameserver, searchdomain",
               WRITE_CONFIG, before=guest.space_join),
    Correction("cpuunits-are-clamped", "spellings: cpuunits 0 and 1 are stored as 2",
               WRITE_CONFIG, before=guest.clamp_cpuunits),
    Correction("empty-description-removes", "measured 14; spellings: `0` too",
               PUT_CONFIG, before=guest.empty_description),
    Correction("new-disk-in-whole-mib", "pve-container LXC.pm create_disks: int(size_gb*1024) MiB",
               WRITE_CONFIG, before=guest.whole_mebibytes),
    Correction("mount-keeps-its-size", "measured 18: mpN keeps the size of its volume, rootfs does not",
               PUT_CONFIG, before=guest.keep_mount_size),
    Correction("rootfs-is-stored-as-sent", "spellings; LXC/Config.pm vmconfig_apply_pending",
               PUT_CONFIG, before=guest.remember_rootfs),
    Correction("features-keep-their-order", "measured 17 and spellings: features",
               WRITE_CONFIG, before=guest.remember("features")),
    Correction("cpulimit-is-text", "measured 8: cpulimit is the text that was written",
               WRITE_CONFIG, before=guest.remember("cpulimit")),
    Correction("tags-follow-tag-style", "pve-guest-common GuestHelpers.pm get_unique_tags", WRITE_CONFIG,
               before=guest.remember_tags),
    Correction("ostype-and-arch-as-declared", "LXC/Setup.pm: detected when not given",
               (("POST", CREATE),), before=guest.remember_declared_os),
    Correction("unknown-bridge-fails-after-the-write", "measured 16", PUT_CONFIG, after=guest.complain_of_bridge),
    Correction("spelled-as-stored", "what the corrections above remember of a guest is shown by its reads",
               READ_CONFIG, after=guest.show_remembered),
    Correction("mount-point-comes-second", "measured 18: volume, mp, then the rest in order", READ_CONFIG,
               after=guest.reorder_mounts),
    Correction("description-ends-in-newline", "measured 14; LXC/Config.pm parse_pct_config", READ_CONFIG,
               after=guest.end_description),
    Correction("empty-tags-are-a-space", "measured 13", READ_CONFIG, after=guest.show_empty_tags),
    Correction("pending-has-the-digest", "measured 28", (("GET", PENDING),), after=guest.pending_digest),
    Correction("falsy-comment-is-not-stored", "measured 40: user.cfg keeps no empty and no `0` comment",
               (("GET", POOLS), ("GET", POOL)), after=more.drop_falsy_comment),
    Correction("guests-of-a-dead-node-are-unknown", "case C8; pve-manager API2/Cluster.pm resources",
               (("GET", RESOURCES),), after=more.mark_unknown),
    Correction("resources-show-hastate", "pve-manager API2/Cluster.pm resources: HA status, else its configuration",
               (("GET", RESOURCES),), after=more.show_hastate),
    Correction("status-shows-ha", "pve-container API2/LXC/Status.pm: get_service_status", STATUS,
               after=more.show_ha_status),
    Correction("some-types-are-shared", "pve-storage Plugin.pm @SHARED_STORAGE",
               (*NODE_STORAGE, ("GET", RESOURCES)), after=more.share_by_type),
)  # fmt: skip


def path_of(call: Call) -> str:
    return call.template.format_map({name: str(value) for name, value in call.values.items()})


def ask(call: Call) -> Answer:
    """The corrected answer of fakepve."""
    mine = [
        item
        for item in CORRECTIONS
        if (call.method, call.template) in item.calls and item.name not in call.world.config.without
    ]
    for item in mine:
        early = item.before(call) if item.before else None
        if early is not None:
            return early
    names = {part[1:-1] for part in call.template.split("/") if part.startswith("{")}
    values = {name: value for name, value in call.values.items() if name not in names}
    answer = call.world.backend.ask(call.method, path_of(call), values)
    guest.keep_notes(call, answer)
    for item in mine:
        if item.after:
            answer = item.after(call, answer)
    return answer
