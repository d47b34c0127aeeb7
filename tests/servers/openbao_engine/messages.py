# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The messages of OpenBao's plugin protocol that the engine needs, made at run time: no generated code, no compiler.

Names and field numbers are those of the protocol (package pb, service Backend).
"""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, timestamp_pb2

_TYPE = descriptor_pb2.FieldDescriptorProto
STRING, BOOL, INT64, UINT32 = _TYPE.TYPE_STRING, _TYPE.TYPE_BOOL, _TYPE.TYPE_INT64, _TYPE.TYPE_UINT32
TIMESTAMP = ".google.protobuf.Timestamp"

MESSAGES: dict[str, dict[str, tuple[int, int | str]]] = {
    "Empty": {},
    "ProtoError": {"err_type": (1, UINT32), "err_msg": (2, STRING), "err_code": (3, INT64)},
    "LeaseOptions": {
        "TTL": (1, INT64),
        "renewable": (2, BOOL),
        "increment": (3, INT64),
        "issue_time": (4, TIMESTAMP),
        "MaxTTL": (5, INT64),
    },
    "Secret": {"lease_options": (1, ".pb.LeaseOptions"), "internal_data": (2, STRING), "lease_id": (3, STRING)},
    "Request": {"operation": (3, STRING), "path": (4, STRING), "data": (5, STRING), "secret": (6, ".pb.Secret")},
    "Response": {"secret": (1, ".pb.Secret"), "data": (3, STRING)},
    "HandleRequestArgs": {"request": (2, ".pb.Request")},
    "HandleRequestReply": {"response": (1, ".pb.Response"), "err": (2, ".pb.ProtoError")},
    "HandleExistenceCheckReply": {"check_found": (1, BOOL), "exists": (2, BOOL)},
    "Paths": {},
    "SpecialPathsReply": {"paths": (1, ".pb.Paths")},
    "TypeReply": {"type": (1, UINT32)},
}


def _file() -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto(name="homeflare_lab_backend.proto", package="pb", syntax="proto3")
    file.dependency.append("google/protobuf/timestamp.proto")
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, (number, kind) in fields.items():
            entry = message.field.add(name=field, number=number, label=_TYPE.LABEL_OPTIONAL)
            if isinstance(kind, str):
                entry.type, entry.type_name = _TYPE.TYPE_MESSAGE, kind
            else:
                entry.type = kind
    return file


def _classes() -> dict[str, Any]:
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(timestamp_pb2.DESCRIPTOR.serialized_pb)
    pool.Add(_file())
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"pb.{name}")) for name in MESSAGES}


CLASSES: dict[str, Any] = _classes()
