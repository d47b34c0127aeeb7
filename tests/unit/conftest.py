# Copyright (c) 2026, homeflare.proxmox contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds for all unit tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# A busy machine is no reason for a test to fail.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
