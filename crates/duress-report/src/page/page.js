"use strict";
(() => {
  const all = (what, where) => [...(where || document).querySelectorAll(what)];

  // Light and dark: the system's choice until the button is pressed.
  const look = document.getElementById("look");
  const root = document.documentElement;
  const isDark = () => root.dataset.look ? root.dataset.look === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const showLook = () => look.setAttribute("aria-pressed", String(isDark()));
  look.addEventListener("click", () => { root.dataset.look = isDark() ? "light" : "dark"; showLook(); });
  showLook();

  // What a mark says when one points at it, or reaches it with the arrow keys.
  const tip = document.getElementById("tip");
  const say = (mark) => {
    tip.textContent = mark.getAttribute("data-tip");
    tip.hidden = false;
    const at = mark.getBoundingClientRect(), box = tip.getBoundingClientRect();
    const left = Math.max(4, Math.min(at.left + at.width / 2 - box.width / 2, innerWidth - box.width - 4));
    const above = at.top - box.height - 8;
    tip.style.left = left + "px";
    tip.style.top = (above > 4 ? above : at.bottom + 8) + "px";
  };
  // A number written on a cell lets the cell speak.
  const speaker = (target) => {
    const mark = target.closest("[data-tip]");
    const below = target.tagName === "text" && target.previousElementSibling;
    return mark || (below && below.matches("[data-tip]") ? below : null);
  };
  const hush = () => { tip.hidden = true; };
  document.addEventListener("pointerover", (event) => {
    const mark = event.target.closest && speaker(event.target);
    if (mark) say(mark); else hush();
  });
  document.addEventListener("scroll", hush, true);
  all("figure > svg").forEach((svg) => {
    let at = -1;
    svg.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") hush();
      if (!step) return;
      event.preventDefault();
      const marks = all("[data-tip]", svg).filter((mark) => !mark.closest(".off"));
      if (!marks.length) return;
      at = (at + step + marks.length) % marks.length;
      say(marks[at]);
    });
    svg.addEventListener("blur", hush);
  });

  // Boxes that show and hide subjects, stressors and gauges.
  const form = document.getElementById("toggles");
  form.hidden = !form.querySelector("fieldset");
  const apply = () => {
    const off = { s: new Set(), l: new Set(), g: new Set() }, names = new Set();
    all("input", form).forEach((box) => {
      if (box.checked) return;
      const kind = box.closest("fieldset").dataset.kind;
      off[kind].add(box.value);
      if (kind === "s") names.add(box.dataset.name);
    });
    const section = document.getElementById("findings");
    all("figure g[data-s]", section).forEach((group) => group.classList.toggle("off", off.s.has(group.dataset.s)));
    all("tr[data-row]", section).forEach((row) => row.classList.toggle("off", names.has(row.dataset.row)));
    all(".panel[data-l]", section).forEach((panel) => panel.classList.toggle("off", off.l.has(panel.dataset.l)));
    all(".gauge[data-g]", section).forEach((gauge) => gauge.classList.toggle("off", off.g.has(gauge.dataset.g)));
  };
  form.addEventListener("change", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("click", (event) => {
    if (!event.target.dataset || !("all" in event.target.dataset)) return;
    all("input", event.target.closest("fieldset")).forEach((box) => { box.checked = !!event.target.dataset.all; });
    apply();
  });

  // Tables that sort by a column: numbers by value, words by alphabet; what has no number comes last.
  const key = (cell, numeric) => {
    const text = cell ? cell.firstChild ? (numeric ? cell.firstChild : cell).textContent.trim() : "" : "";
    if (!numeric) return text;
    const [, digits, power] = /^([+−]?[\d.]+)(?:×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?$/.exec(text) || [];
    if (digits === undefined) return text;
    const plain = power ? [...power].map((c) => c === "⁻" ? "-" : "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c)).join("") : "0";
    return Number(digits.replace("−", "-").replace("+", "")) * 10 ** Number(plain);
  };
  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), undefined, { numeric: true });
  };
  const sort = (table, column, head) => {
    const down = head.getAttribute("aria-sort") === "ascending";
    all("thead th", table).forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const numeric = head.classList.contains("n");
    const rows = [...table.tBodies[0].rows].map((row) => [key(row.cells[column], numeric), row]);
    rows.sort(([a], [b]) => {
      const lacks = (v) => numeric && typeof v !== "number";
      if (lacks(a) || lacks(b)) return lacks(a) - lacks(b);
      return down ? compare(b, a) : compare(a, b);
    });
    rows.forEach(([, row]) => table.tBodies[0].append(row));
  };
  all("table").forEach((table) => {
    if (!table.tHead || table.tBodies[0].rows.length < 2) return;
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      button.addEventListener("click", () => sort(table, column, head));
      head.replaceChildren(button);
    });
  });
})();
