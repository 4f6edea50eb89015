"use strict";
(() => {
  const root = document.documentElement;
  const tip = document.getElementById("tip");

  // Light or dark: what the system says, until the button says otherwise.
  document.getElementById("shade").addEventListener("click", () => {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const now = root.dataset.shade || (dark ? "dark" : "light");
    root.dataset.shade = now === "dark" ? "light" : "dark";
  });

  // Charts: the moment nearest to the pointer, with the values of all lines that are shown.
  const nearest = (places, x) => {
    let low = 0;
    let high = places.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (places[middle] < x) low = middle;
      else high = middle;
    }
    return x - places[low] < places[high] - x ? low : high;
  };
  for (const carried of document.querySelectorAll("script.points")) {
    const figure = carried.closest("figure");
    // The same chart in several widths, of which the page shows one.
    const pictures = [...figure.querySelectorAll("svg.chart")].map((chart) => ({
      chart,
      cross: chart.querySelector(".cross"),
      dots: [...chart.querySelectorAll(".dot")],
      lines: [...chart.querySelectorAll(".series")],
    }));
    const points = JSON.parse(carried.textContent);
    const off = points.s.map(() => false);
    const hide = () => {
      tip.hidden = true;
      for (const { cross, dots } of pictures)
        for (const part of [cross, ...dots]) part.style.visibility = "hidden";
    };
    const show = ({ chart, cross, dots }, event) => {
      const box = chart.getBoundingClientRect();
      const width = chart.viewBox.baseVal.width;
      const edges = (points.l || 0) + (points.r || 0);
      const scale = points.w ? (width - edges) / (points.w - edges) : 1;
      const places = points.x.map((x) => (points.l || 0) + (x - (points.l || 0)) * scale);
      const n = nearest(places, ((event.clientX - box.left) / box.width) * width);
      cross.setAttribute("x1", places[n]);
      cross.setAttribute("x2", places[n]);
      cross.style.visibility = "visible";
      tip.replaceChildren();
      const head = document.createElement("b");
      head.textContent = points.t[n];
      tip.append(head);
      points.s.forEach((line, place) => {
        const dot = dots[place];
        const seen = !off[place] && line.y[n] !== null;
        dot.style.visibility = seen ? "visible" : "hidden";
        if (!seen) return;
        dot.setAttribute("cx", places[n]);
        dot.setAttribute("cy", line.y[n]);
        const row = document.createElement("div");
        const name = document.createElement("span");
        const colour = document.createElement("i");
        colour.className = "c" + line.c;
        name.append(colour, line.n);
        const value = document.createElement("span");
        value.textContent = line.v[n];
        row.append(name, value);
        tip.append(row);
      });
      tip.hidden = false;
      const right = event.clientX + 16 + tip.offsetWidth > innerWidth;
      const left = right ? event.clientX - tip.offsetWidth - 14 : event.clientX + 16;
      tip.style.left = Math.max(left, 4) + "px";
      tip.style.top = Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8) + "px";
    };
    for (const each of pictures) {
      each.chart.addEventListener("pointermove", (event) => show(each, event));
      each.chart.addEventListener("pointerdown", (event) => show(each, event));
      each.chart.addEventListener("pointerleave", hide);
    }
    figure.querySelectorAll(".key").forEach((key, place) =>
      key.addEventListener("click", () => {
        off[place] = !off[place];
        key.setAttribute("aria-pressed", String(!off[place]));
        for (const { lines } of pictures) lines[place].classList.toggle("off", off[place]);
        hide();
      })
    );
  }

  // Tables: numbers by their value, words by the alphabet; what is empty stays last.
  const keyed = (row, column, isNumber) => {
    const cell = row.cells[column];
    if (!isNumber) return cell.textContent;
    return cell.dataset.v === undefined ? null : Number(cell.dataset.v);
  };
  for (const table of document.querySelectorAll("table")) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = head.querySelector("button");
      if (!button) return;
      button.addEventListener("click", () => {
        const isNumber = head.classList.contains("n");
        const was = head.getAttribute("aria-sort");
        const falling = was === "none" ? isNumber : was === "ascending";
        for (const other of heads) if (other.dataset.key) other.setAttribute("aria-sort", "none");
        head.setAttribute("aria-sort", falling ? "descending" : "ascending");
        const sign = falling ? -1 : 1;
        const rows = [...body.rows].map((row) => [keyed(row, column, isNumber), row]);
        rows.sort(([a], [b]) => {
          if (a === null || b === null) return (a === null) - (b === null);
          return sign * (isNumber ? a - b : a.localeCompare(b));
        });
        body.append(...rows.map(([, row]) => row));
      });
    });
    const search = table.closest(".table").querySelector("input");
    if (search)
      search.addEventListener("input", () => {
        const asked = search.value.toLowerCase();
        for (const row of body.rows) row.hidden = !row.textContent.toLowerCase().includes(asked);
      });
  }
  root.dataset.ready = "yes";
})();
