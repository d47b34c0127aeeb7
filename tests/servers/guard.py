# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs one foreign program and ends it when whoever started us goes away.

Standard input is a pipe whose other end only our parent holds. When it closes, by `close()` or because the parent
died in any way, SIGKILL included, the program gets SIGTERM and, two seconds later, SIGKILL. Started as
`python -I -S guard.py PROGRAM ARG...` to be ready in ten milliseconds.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

GRACE_SECONDS = 2.0


def main(argv: list[str]) -> int:
    # The program gets its own session, so Ctrl-C in a terminal reaches only the parent, which stops things in order.
    child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, start_new_session=True)

    def end_child() -> None:
        while os.read(0, 4096):
            pass
        child.terminate()
        try:
            child.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()

    def on_signal(_number: int, _frame: object) -> None:
        child.terminate()

    signal.signal(signal.SIGTERM, on_signal)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_child, daemon=True).start()
    return child.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
