# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory that the forked workers of one run share: leases, logins, the last good members. Never on a disk.

Made when this module is imported. Ansible imports an action plugin in the main process before it forks workers, so
that all workers of a run inherit one cell and nothing else does. A process that inherits none has its own.

Locks are POSIX record locks on a nameless file: the kernel drops them when their holder dies, so that a killed worker
blocks nobody, and each byte is a lock of its own. They hold between processes; a thread lock stands beside each.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import mmap
import os
import struct
import tempfile
import threading
import time
import typing as t
import zlib

SIZE: t.Final = 64 * 1024

_HEADER: t.Final = struct.Struct(">4sII")
_MAGIC: t.Final = b"hfpx"
_DATA_BYTE: t.Final = 0
_KEY_BYTES: t.Final = 1 << 20

Entry = dict[str, t.Any]


class Cell:
    """A small map in shared memory. What does not fit stays with the process that put it."""

    def __init__(self, size: int = SIZE) -> None:
        self.pid = os.getpid()
        self._memory = mmap.mmap(-1, size)
        self._size = size
        self._file: int = _nameless_file()
        self._own: dict[str, Entry] = {}
        self._reset()
        os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        """In a forked child: no other thread lives here that could hold a lock."""
        self._data_lock = threading.RLock()
        self._keys_lock = threading.Lock()
        self._key_locks: dict[int, threading.RLock] = {}

    def get(self, key: str) -> Entry | None:
        with self._locked():
            return self._read().get(key) or self._own.get(key)

    def put(self, key: str, entry: Entry) -> bool:
        """Whether the others see it."""
        with self._locked() as locked:
            entries = self._read()
            entries[key] = entry
            shared = locked and self._write(entries)
            if shared:
                self._own.pop(key, None)
            else:
                self._own[key] = entry
            return shared

    def drop(self, key: str, wanted: t.Callable[[Entry], bool] = lambda _: True) -> None:
        """Forget an entry if it still is the one that is meant."""
        with self._locked() as locked:
            if key in self._own and wanted(self._own[key]):
                del self._own[key]
            entries = self._read()
            if locked and key in entries and wanted(entries[key]):
                del entries[key]
                self._write(entries)

    def all(self) -> dict[str, Entry]:
        with self._locked():
            return {**self._own, **self._read()}

    def wipe(self) -> None:
        with self._locked():
            self._own.clear()
            self._memory[:] = bytes(self._size)

    def good(self, cluster: str) -> str | None:
        entry = self.get(_good(cluster))
        return None if entry is None else str(entry["member"])

    def remember(self, cluster: str, member: str) -> None:
        if self.good(cluster) != member:
            self.put(_good(cluster), {"member": member})

    @contextlib.contextmanager
    def flight(self, key: str, timeout: float) -> t.Iterator[bool]:
        """One at a time for a key, over threads and processes. Goes on after ``timeout`` anyway, and says so."""
        byte = 1 + int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big") % _KEY_BYTES
        with self._keys_lock:
            lock = self._key_locks.setdefault(byte, threading.RLock())
        deadline = time.monotonic() + timeout
        if not lock.acquire(timeout=timeout):
            yield False
            return
        try:
            held = self._acquire(byte, deadline)
            try:
                yield held
            finally:
                if held:
                    self._release(byte)
        finally:
            lock.release()

    @contextlib.contextmanager
    def _locked(self) -> t.Iterator[bool]:
        with self._data_lock:
            # Held for microseconds only: five seconds mean that the lock does not work here.
            held = self._acquire(_DATA_BYTE, time.monotonic() + 5)
            try:
                yield held
            finally:
                if held:
                    self._release(_DATA_BYTE)

    def _acquire(self, byte: int, deadline: float) -> bool:
        pause = 0.001
        while True:
            try:
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
            except OSError as error:
                if error.errno not in {errno.EACCES, errno.EAGAIN} or time.monotonic() >= deadline:
                    return False
                time.sleep(pause)
                pause = min(pause * 2, 0.05)
            else:
                return True

    def _release(self, byte: int) -> None:
        with contextlib.suppress(OSError):
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, byte)

    def _read(self) -> dict[str, Entry]:
        """What is stored; nothing when a writer died half way."""
        magic, length, checksum = _HEADER.unpack_from(self._memory, 0)
        if magic != _MAGIC or length > self._size - _HEADER.size:
            return {}
        payload = self._memory[_HEADER.size : _HEADER.size + length]
        if zlib.crc32(payload) != checksum:
            return {}
        return t.cast("dict[str, Entry]", json.loads(payload))

    def _write(self, entries: dict[str, Entry]) -> bool:
        payload = json.dumps(entries, separators=(",", ":")).encode()
        if len(payload) > self._size - _HEADER.size:
            return False
        end = _HEADER.size + len(payload)
        _magic, before, _checksum = _HEADER.unpack_from(self._memory, 0)
        self._memory[_HEADER.size : end] = payload
        stale = min(_HEADER.size + before, self._size)
        if stale > end:
            self._memory[end:stale] = bytes(stale - end)
        _HEADER.pack_into(self._memory, 0, _MAGIC, len(payload), zlib.crc32(payload))
        return True


def _good(cluster: str) -> str:
    return f"good {cluster}"


def _nameless_file() -> int:
    """A file for locks only: nothing is ever written to it."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("homeflare-proxmox-locks")
    with tempfile.TemporaryFile() as stream:
        return os.dup(stream.fileno())


CELL: t.Final = Cell()
