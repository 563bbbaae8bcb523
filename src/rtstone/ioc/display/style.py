# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The screen's colours: dark text on light ground, and alarms as grounds that text stays readable on."""

from __future__ import annotations

INK = "#1f2933"
FAINT = "#52606d"
GROUND = "#eef1f4"
PAPER = "#ffffff"
RULE = "#c3cbd3"
CURVE = "#1f5fa8"
BARS = (124, 160, 205)
LIMIT = "#c0392b"

# Severity's name -> ground and text; the numbers are EPICS's.
SEVERITIES = {"MINOR": ("#ffd84d", INK), "MAJOR": ("#d62828", "#ffffff"), "INVALID": ("#8e44ad", "#ffffff")}

SHEET = f"""
QWidget {{ font-family: 'DejaVu Sans'; font-size: 10pt; color: {INK}; }}
#screen {{ background: {GROUND}; }}
QFrame[panel="true"] {{ background: {PAPER}; border: 1px solid {RULE}; border-radius: 4px; }}
QLabel[role="heading"] {{ font-size: 14pt; font-weight: bold; }}
QLabel[role="title"] {{ font-size: 11pt; font-weight: bold; padding: 0 5px; }}
QLabel[role="label"] {{ color: {FAINT}; font-size: 9pt; padding: 0 5px; }}
QLabel[role="note"] {{ color: {FAINT}; font-size: 9pt; }}
QPushButton {{ background: {PAPER}; border: 1px solid {FAINT}; border-radius: 4px; padding: 5px 14px; font-weight: bold; }}
QPushButton:hover {{ background: #dfe7ef; }}
QPushButton:pressed {{ background: {RULE}; }}
QPushButton:disabled {{ color: {RULE}; border-color: {RULE}; }}
QLineEdit {{ background: {PAPER}; border: 1px solid {FAINT}; border-radius: 4px; padding: 4px 6px; }}
QLineEdit:disabled {{ color: {RULE}; border-color: {RULE}; }}
QLabel[role="value"] {{ border-radius: 3px; padding: 1px 5px; }}
QLabel[role="value"][alarmSeverity="1"], QLabel[swatch="MINOR"] {{ background: {SEVERITIES["MINOR"][0]}; color: {SEVERITIES["MINOR"][1]}; }}
QLabel[role="value"][alarmSeverity="2"], QLabel[swatch="MAJOR"] {{ background: {SEVERITIES["MAJOR"][0]}; color: {SEVERITIES["MAJOR"][1]}; }}
QLabel[role="value"][alarmSeverity="3"], QLabel[swatch="INVALID"] {{
  background: {SEVERITIES["INVALID"][0]}; color: {SEVERITIES["INVALID"][1]}; }}
QLineEdit[role="entry"][alarmSeverity="3"] {{ background: {SEVERITIES["INVALID"][0]}; color: {SEVERITIES["INVALID"][1]}; }}
QLabel[role="value"][alarmSeverity="4"] {{ background: {RULE}; color: {FAINT}; }}
QLabel[swatch] {{ border-radius: 3px; padding: 1px 6px; font-size: 9pt; }}
"""
