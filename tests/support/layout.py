# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A page in a frame as narrow as a telephone. A script in it inspects the page and reports to the outer page."""

from __future__ import annotations

import base64
import hashlib
import json
from html import unescape
from pathlib import Path
from typing import Any

from support.browser import Visit, document

# A browser without a display has no window as narrow as a telephone. So the page is in a frame, and reports to the page
# around it.
FRAME = """<!doctype html><body style="margin: 0"><iframe src="report.html" width="{width}" height="900" style="border: 0"></iframe>
<script>addEventListener("message", (event) => (document.documentElement.dataset.seen = event.data));</script></body>"""


def with_probe(html: str, probe: str) -> str:
    """The page with this script at its end. The page's own policy then allows this script, and no other."""
    digest = base64.b64encode(hashlib.sha256(probe.encode()).digest()).decode()
    assert html.count("script-src ") == 1
    html = html.replace("script-src ", f"script-src &#39;sha256-{digest}&#39; ", 1)
    before, end, after = html.rpartition("</body>")
    return f"{before}<script>{probe}</script>{end}{after}"


def seen(html: str, probe: str, width: int, folder: Path) -> tuple[dict[str, Any], Visit]:
    """The report of the probe from the page in a frame of this width.

    `folder` takes the pages and the browser's profile.
    """
    (folder / "report.html").write_text(with_probe(html, probe), encoding="utf-8")
    frame = folder / "frame.html"
    frame.write_text(FRAME.replace("{width}", str(width)), encoding="utf-8")
    try:
        visit = document(frame, profile=folder / "profile", width=1400)
    except RuntimeError:  # a browser on a busy machine stops now and then before it has begun
        visit = document(frame, profile=folder / "profile-2", width=1400)
    _, there, rest = visit.document.partition('data-seen="')
    assert there, visit.console
    found: dict[str, Any] = json.loads(unescape(rest.partition('"')[0]))
    return found, visit


# What is wrong with the layout of a page whose charts are drawn, as functions for a probe. Each returns what a reader would complain of.
FAULTS = r"""
const every = (what, within) => [...(within || document).querySelectorAll(what)];
const said = (e) => `${e.tagName} ${e.getAttribute("class") || ""} "${e.textContent.trim().slice(0, 40)}"`;
const shown = (e) => e.getClientRects().length > 0;
// Text that is cut: by its box, by the edge of a chart, or by the charts' library, which then ends it in an ellipsis.
const cut = () => [
  ...every("body *").filter((e) => {
    const style = getComputedStyle(e);
    return shown(e) && !e.closest("svg") && ["hidden", "clip"].includes(style.overflowX) && e.scrollWidth > e.clientWidth + 1;
  }).map(said),
  ...every(".canvas svg text").filter((e) => {
    if (!e.textContent.trim() || !shown(e) || getComputedStyle(e).opacity === "0" || e.getAttribute("opacity") === "0") return false;
    const text = e.getBoundingClientRect(), column = document.querySelector(".content").getBoundingClientRect();
    return e.textContent.endsWith("…") || text.left < column.left - 1 || text.right > column.right + 1;
  }).map(said),
];
// Columns that a reader has to scroll for.
const hidden = () =>
  every(".scroll").filter((e) => shown(e) && e.scrollWidth > e.clientWidth + 1).map((e) => said(e.querySelector("table")));
// Entries of a legend without a mark of their colour in a chart that the legend is of.
const undrawn = () => every(".legend li").filter((li) => {
  if (!shown(li)) return false;
  const sign = getComputedStyle(li.querySelector(".swatch, .dot, .ring"));
  const colour = li.querySelector(".dot") ? sign.backgroundColor : sign.borderTopColor;
  const marks = ["line path", "area path", "rule line", "symbol path", "rect path"].map((mark) => `.canvas svg .mark-${mark}`);
  return !every(marks.join(), li.closest("figure") || li.closest("article"))
    .some((mark) => [getComputedStyle(mark).stroke, getComputedStyle(mark).fill].includes(colour));
}).map(said);
// Axes without labels, and axes of numbers without a title. A grid is drawn by an axis of its own, which has neither.
const unlabelled = () => every(".canvas svg .role-axis").filter((axis) => {
  const labels = every(".role-axis-label text", axis).filter((e) => e.textContent.trim() && e.getAttribute("opacity") !== "0");
  if (!axis.querySelector(".role-axis-label")) return false;
  const discrete = (axis.closest("[aria-label]")?.getAttribute("aria-label") || "").includes("discrete scale");
  return labels.length < (discrete ? 1 : 2) || !(discrete || every(".role-axis-title text", axis).some((e) => e.textContent.trim()));
}).map((axis) => `${axis.closest(".canvas").id}: ${(axis.closest("[aria-label]") || axis).getAttribute("aria-label")}`);
// Words that end on another line than they began, in cells and headings. A line may end at a slash or hyphen, but not
// within a date. A name of more than 24 letters without a blank may be broken anywhere.
const broken = () => every("th, td, dt, dd, h1, h2, h3, h4").filter(shown).flatMap((e) => {
  const words = [], walker = document.createTreeWalker(e, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    for (const match of walker.currentNode.data.matchAll(/[0-9]{4}-[0-9]{2}-[0-9]{2}|[^\s/-]+/g)) {
      if (/\S{25,}/.test(walker.currentNode.data)) continue;
      const range = document.createRange();
      range.setStart(walker.currentNode, match.index);
      range.setEnd(walker.currentNode, match.index + match[0].length);
      const tops = [...range.getClientRects()].filter((box) => box.width > 0).map((box) => Math.round(box.top));
      if (tops.some((top) => top > tops[0] + 3)) words.push(match[0]);
    }
  }
  return words;
});
const some = (found) => found.slice(0, 5);
const faults = () => ({
  cut: some(cut()), undrawn: some(undrawn()), unlabelled: some(unlabelled()), hidden: some(hidden()), broken: some(broken()),
});
"""
