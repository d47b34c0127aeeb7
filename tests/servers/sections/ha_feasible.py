# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether HA rules can hold together (pve-ha-manager HA/Rules.pm, Rules/NodeAffinity.pm, Rules/ResourceAffinity.pm).

Each check gives pairs of a rule and PVE's text; disabled rules take no part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..formats import split_list

Found = Iterator[tuple[str, str]]


@dataclass
class Rules:
    nodes: Sequence[str]
    of_nodes: dict[str, tuple[set[str], dict[str, str]]] = field(default_factory=dict)
    positive: dict[str, set[str]] = field(default_factory=dict)
    negative: dict[str, set[str]] = field(default_factory=dict)

    def together(self) -> list[tuple[list[str], set[str]]]:
        """Positive rules that share resources, as one set with the rules' names."""
        groups: list[tuple[list[str], set[str]]] = []
        for name, sids in sorted(self.positive.items(), key=lambda item: sorted(item[1])):
            group = next((group for group in groups if group[1] & sids), None)
            if group:
                group[0].append(name)
                group[1].update(sids)
            else:
                groups.append(([name], set(sids)))
        return groups

    def paired(self, sids: set[str]) -> list[str]:
        """The node affinity rules with one of these resources."""
        return [name for name, (others, _) in self.of_nodes.items() if sids & others]


def errors(rules: Mapping[str, Mapping[str, Any]], nodes: Sequence[str]) -> dict[str, dict[str, list[str]]]:
    """Rule -> key -> texts, for every rule that cannot hold."""
    sorted_out = Rules(nodes)
    for name, rule in rules.items():
        if rule.get("disable"):
            continue
        sids = set(split_list(str(rule["resources"])))
        if rule["type"] == "node-affinity":
            priorities = {node: priority for node, _, priority in (p.partition(":") for p in _nodes(rule))}
            sorted_out.of_nodes[name] = (sids, priorities)
        else:
            (sorted_out.positive if rule["affinity"] == "positive" else sorted_out.negative)[name] = sids
    found: dict[str, dict[str, list[str]]] = {}
    for check in CHECKS:
        for name, text in sorted(check(sorted_out)):
            found.setdefault(name, {}).setdefault("resources", []).append(text)
    return found


def _nodes(rule: Mapping[str, Any]) -> list[str]:
    return split_list(str(rule.get("nodes") or ""))


def _one_rule_for_a_resource(rules: Rules) -> Found:
    users: dict[str, list[str]] = {}
    for name, (sids, _) in rules.of_nodes.items():
        for sid in sids:
            users.setdefault(sid, []).append(name)
    for sid, names in users.items():
        if len(names) > 1:
            yield from ((name, f"resource '{sid}' is already used in another node affinity rule") for name in names)


def _two_resources(rules: Rules) -> Found:
    for name, sids in {**rules.positive, **rules.negative}.items():
        if len(sids) < 2:
            yield name, "rule is ineffective as there are less than two resources"


def _enough_nodes(rules: Rules) -> Found:
    for name, sids in rules.negative.items():
        if len(sids) > len(rules.nodes):
            yield name, "rule defines more resources than available nodes"


def _not_together_and_apart(rules: Rules) -> Found:
    for names, together in rules.together():
        for name, apart in rules.negative.items():
            if len(together & apart) > 1:
                yield name, "rule shares two or more resources with a positive resource affinity rule"
                for other in names:
                    yield other, "rule shares two or more resources with a negative resource affinity rule"


def _one_priority(rules: Rules) -> Found:
    for name, sids in {**rules.positive, **rules.negative}.items():
        paired = rules.paired(sids)
        if any(len({int(priority or 0) for priority in rules.of_nodes[other][1].values()}) > 1 for other in paired):
            yield name, "resources are in node affinity rules with multiple priorities"
            for other in paired:
                yield (
                    other,
                    (
                        "resources are in a resource affinity rule and cannot be in a node affinity rule with multiple "
                        "priorities"
                    ),
                )


def _one_place_together(rules: Rules) -> Found:
    for names, sids in rules.together():
        paired = rules.paired(sids)
        if len(paired) > 1:
            yield from ((name, "resources are in multiple node affinity rules") for name in names)
            for other in paired:
                yield (
                    other,
                    (
                        "at least one resource is in a positive resource affinity rule and there are other resources "
                        "in at least one other node affinity rule already"
                    ),
                )


def _places_enough_apart(rules: Rules) -> Found:
    for name, sids in rules.negative.items():
        paired = rules.paired(sids)
        located = {sid for other in paired for sid in sids & rules.of_nodes[other][0]}
        allowed = {node for other in paired for node in rules.of_nodes[other][1]}
        if len(allowed) < len(located):
            yield name, "two or more resources are restricted to less nodes than available to the resources"
            for other in paired:
                yield (
                    other,
                    (
                        "at least one resource is in a negative resource affinity rule and this rule would restrict "
                        "these to less nodes than available to the resources"
                    ),
                )


CHECKS = (
    _one_rule_for_a_resource,
    _two_resources,
    _enough_nodes,
    _not_together_and_apart,
    _one_priority,
    _one_place_together,
    _places_enough_apart,
)
