# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""JUnit XML: a test case for each result. It passes if it was measured. `rtstone check --junit` writes bounds."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from rtstone.model import Run
from rtstone.model.text import printable
from rtstone.model.variant import FACETS
from rtstone.show.exporters._model import Exporter
from rtstone.show.exporters._rows import TIMES, rows


def _write(runs: Sequence[Run]) -> bytes:
    root = ET.Element("testsuites", name="rtstone")
    for run in runs:
        found = tuple(rows([run]))
        suite = ET.SubElement(
            root,
            "testsuite",
            name=printable(f"{run.id} {run.target}"),
            timestamp=run.started,
            tests=str(len(found) + 1),
            skipped=str(sum(r.status == "skipped" for _, r, _ in found)),
            errors=str(sum(r.status not in {"ok", "skipped"} for _, r, _ in found) + (run.status != "complete")),
            failures="0",
        )
        whole = ET.SubElement(suite, "testcase", classname="rtstone.run", name="complete")
        if run.status != "complete":
            ET.SubElement(whole, "error", type=run.status, message=printable(run.error or f"the run is {run.status}"))
        for row, result, _ in found:
            facets = (f"{facet.label} {facet.text(facet.value(result.variant))}" for facet in FACETS)
            circumstances = ", ".join((*facets, f"repetition {row['session']}"))
            case = ET.SubElement(
                suite,
                "testcase",
                classname=printable(f"rtstone.{result.measurement}"),
                name=printable(f"{result.quantity} ({circumstances})"),
            )
            figures = {name: row[name] for name in TIMES if row[name] is not None}
            if figures:
                properties = ET.SubElement(case, "properties")
                for name, value in {"count": result.count, **figures}.items():
                    ET.SubElement(properties, "property", name=name, value=str(value))
            if result.status == "skipped":
                ET.SubElement(case, "skipped", message=printable(result.text or result.reason))
            elif result.status != "ok":
                ET.SubElement(case, "error", type=result.status, message=printable(result.text or result.reason))
    ET.indent(root)
    made: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return made + b"\n"


EXPORTER = Exporter("junit", "a test case for each result (bounds: rtstone check --junit)", _write)
