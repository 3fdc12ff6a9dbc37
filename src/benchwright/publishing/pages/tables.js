"use strict";
// Tables that sort by a press on a column's head and filter by typed words. Without this script they are plain tables.
(() => {
  const key = (row, column) => {
    const cell = row.cells[column];
    const said = cell && cell.querySelector("data");
    const text = said ? said.value : cell ? cell.textContent.trim() : "";
    const value = said ? Number.parseFloat(said.value) : Number.NaN;
    return { value, text, known: text !== "" && text !== "–" };
  };
  const compared = (one, two) => {
    const numbers = !Number.isNaN(one.value) && !Number.isNaN(two.value);
    return numbers ? one.value - two.value : one.text.localeCompare(two.text, undefined, { numeric: true });
  };
  const sort = (table, head, column) => {
    const falling = head.getAttribute("aria-sort") === "ascending" || (!head.hasAttribute("aria-sort") && head.classList.contains("num"));
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => ({ row, key: key(row, column) }));
    rows.sort((one, two) => {
      if (one.key.known !== two.key.known) return one.key.known ? -1 : 1; // what is not known stands last, either way
      const found = compared(one.key, two.key);
      return falling ? -found : found;
    });
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", falling ? "descending" : "ascending");
    body.append(...rows.map((item) => item.row));
  };
  const filter = (box, table, shown) => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      left += row.hidden ? 0 : 1;
    }
    shown.textContent = words.length ? `${left} of ${table.tBodies[0].rows.length} rows` : "";
  };
  for (const frame of document.querySelectorAll(".table")) {
    const table = frame.querySelector("table");
    if (!table || !table.tHead) continue;
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sort(table, head, column));
    });
    const scroll = frame.querySelector(".scroll");
    const sideways = frame.querySelector(".sideways");
    if (scroll && sideways) {
      const tell = () => { sideways.hidden = scroll.scrollWidth - scroll.clientWidth - scroll.scrollLeft < 2; };
      scroll.addEventListener("scroll", tell, { passive: true });
      new ResizeObserver(tell).observe(scroll);
    }
    const box = frame.querySelector("input[type=search]");
    const shown = frame.querySelector(".shown");
    if (!box || !shown) continue;
    box.hidden = false;
    box.addEventListener("input", () => filter(box, table, shown));
  }
  for (const list of document.querySelectorAll(".list")) {
    const box = list.querySelector("input[type=search]");
    const shown = list.querySelector(".shown");
    const parts = [...list.querySelectorAll(":scope > details")];
    box.hidden = false;
    box.addEventListener("input", () => {
      const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
      let left = 0;
      for (const part of parts) {
        const text = part.querySelector("summary").textContent.toLowerCase();
        part.hidden = !words.every((word) => text.includes(word));
        left += part.hidden ? 0 : 1;
      }
      shown.textContent = words.length ? `${left} of ${parts.length} tasks` : "";
    });
  }
  const open = () => { // a link to something inside a closed part opens it
    let target = null;
    try { target = document.getElementById(decodeURIComponent(location.hash.slice(1))); } catch { return; }
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    if (target) target.scrollIntoView();
  };
  addEventListener("hashchange", open);
  open();
})();
