// SPDX-FileCopyrightText: 2026 rtstone contributors
// SPDX-License-Identifier: Apache-2.0
// Draws the report's charts: those in sight at once, the others while the reader reads.
(() => {
  "use strict";
  const page = JSON.parse(document.getElementById("charts").textContent);
  const waiting = new Map();

  // Rows travel as arrays, and the names of series as numbers: a tenth of the size.
  const rows = (data) =>
    data.rows.map((row) => Object.fromEntries(data.columns.map((name, i) => [name, name === "s" ? data.series[row[i]] : row[i]])));

  const draw = async (place) => {
    const chart = waiting.get(place);
    if (!chart) return;
    waiting.delete(place);
    try {
      await window.vegaEmbed(
        place,
        { ...chart.spec, datasets: { [chart.data]: rows(page.datasets[chart.data]) } },
        {
          actions: false,
          renderer: "svg",
          // No eval: the page's security policy forbids it.
          ast: true,
          defaultStyle: false,
          tooltip: { disableDefaultStyle: true },
          config: page.config,
        },
      );
      place.dataset.state = "drawn";
    } catch (error) {
      place.dataset.state = "failed";
      place.textContent = `This chart could not be drawn: ${error.message}`;
    }
    document.documentElement.dataset.drawn = String(document.querySelectorAll('.canvas[data-state="drawn"]').length);
  };

  const inSight = new IntersectionObserver(
    (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => draw(entry.target)),
    { rootMargin: "400px" },
  );
  for (const chart of page.charts) {
    const place = document.getElementById(chart.key);
    waiting.set(place, chart);
    inSight.observe(place);
  }

  // The rest one by one, so that a page that is printed has them all.
  const later = (work) => setTimeout(work, 20);
  const next = async () => {
    const [place] = waiting.keys();
    if (!place) return;
    await draw(place);
    later(next);
  };
  window.addEventListener("load", () => later(next));
  window.addEventListener("beforeprint", () => [...waiting.keys()].forEach(draw));
})();
