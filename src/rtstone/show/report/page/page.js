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

  // Names beside an axis must leave a narrow page some room for the chart: long ones are folded, and their lines are as high as that takes.
  const ruler = document.createElement("canvas").getContext("2d");
  const LINE = 13;
  const folded = (name, room) => {
    const fits = (text) => ruler.measureText(text.trimEnd()).width <= room;
    const joined = (parts) => {
      const lines = [""];
      for (const part of parts) {
        if (!lines.at(-1) || fits(lines.at(-1) + part)) lines.push(lines.pop() + part);
        else lines.push(part);
      }
      return lines;
    };
    // A word that is longer than a line is cut into pieces.
    const words = name.split(/(?<=[ /_:.-])/).flatMap((word) => (fits(word) ? [word] : joined([...word])));
    return joined(words).map((line) => line.trimEnd());
  };
  const fitted = (spec, width) => {
    const y = spec.encoding?.y;
    const limit = y?.axis?.labelLimit;
    if (!limit) return spec;
    ruler.font = `${page.config.axis.labelFontSize}px ${page.config.font}`;
    const names = y.scale.domain.map(String);
    const made = names.map((name) => folded(name, Math.min(limit, width / 3)));
    const most = Math.max(...made.map((lines) => lines.length));
    const axis = { ...y.axis, labelLimit: 0 };
    if (most === 1) return { ...spec, encoding: { ...spec.encoding, y: { ...y, axis } } };
    const height = Math.max(spec.height, names.length * (most * LINE + 4));
    const expression = `(${JSON.stringify(made)})[indexof(${JSON.stringify(names)}, datum.value)]`;
    return { ...spec, height, encoding: { ...spec.encoding, y: { ...y, axis: { ...axis, labelExpr: expression } } } };
  };

  const draw = async (place) => {
    const chart = waiting.get(place);
    if (!chart) return;
    waiting.delete(place);
    try {
      await window.vegaEmbed(
        place,
        { ...fitted(chart.spec, place.clientWidth), datasets: { [chart.data]: rows(page.datasets[chart.data]) } },
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

  // On paper everything is open; on a narrow page the contents are a fold, closed again by going somewhere.
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    opened.forEach((fold) => (fold.open = true));
    [...waiting.keys()].forEach(draw);
  });
  window.addEventListener("afterprint", () => opened.forEach((fold) => (fold.open = false)));
  const contents = document.getElementById("contents");
  const narrow = window.matchMedia("(max-width: 63.99rem)");
  const fold = () => (contents.open = !narrow.matches);
  narrow.addEventListener("change", fold);
  contents.addEventListener("click", (event) => event.target.closest("a") && narrow.matches && fold());
  fold();
})();
