"use strict";
// Refreshes the live part of a page while runs go on, and moves about by keys. Without this script every page works, and stands still.
(() => {
  const live = document.getElementById("live");
  const status = document.getElementById("status");
  let version = null;
  let wait = 1000;

  const tell = () => {
    const said = live.querySelector("[data-status]");
    const text = said ? said.dataset.status : "";
    if (text !== status.textContent) status.textContent = text; // a screen reader hears what changed, once
  };
  const put = (text) => {
    const focused = document.activeElement;
    const id = live.contains(focused) ? focused.id : "";
    const scrolled = [...live.querySelectorAll(".scroll")].map((part) => part.scrollLeft);
    live.innerHTML = text; // rendered by our server, every value escaped; the policy lets no script in it run
    live.querySelectorAll(".scroll").forEach((part, number) => { part.scrollLeft = scrolled[number] || 0; });
    const again = id && document.getElementById(id);
    if (again) again.focus({ preventScroll: true });
    tell();
  };
  const age = (seconds) => seconds < 60 ? `${seconds} s ago` : seconds < 3600 ? `${Math.floor(seconds / 60)} min ago`
    : `${Math.floor(seconds / 3600)} h ${Math.floor(seconds % 3600 / 60)} min ago`;
  const grow = () => {
    for (const part of live.querySelectorAll("time[data-at]")) {
      const text = age(Math.max(0, Math.round(Date.now() / 1000 - Number(part.dataset.at))));
      if (part.textContent !== text) part.textContent = text;
    }
  };
  const refresh = async () => {
    if (!document.hidden) {
      grow();
      try {
        const headers = { "x-live": "1" };
        if (version) headers["if-none-match"] = version;
        const answer = await fetch(location.href, { headers, cache: "no-store", redirect: "error" });
        if (answer.status === 200) {
          if (version !== null || live.childElementCount) put(await answer.text());
          version = answer.headers.get("etag");
        }
        wait = answer.ok || answer.status === 304 ? 1000 : 10000;
      } catch {
        status.textContent = "The viewer does not answer; this is what it said last.";
        wait = Math.min(2 * wait, 30000);
      }
    }
    setTimeout(refresh, wait);
  };

  const move = (by) => {
    const rows = [...document.querySelectorAll("a.row, li.step")];
    if (!rows.length) return;
    const at = rows.findIndex((row) => row === document.activeElement || row.contains(document.activeElement));
    const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.max(0, Math.min(rows.length - 1, at + by))];
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  };
  const follow = (rel) => { const link = document.querySelector(`a[rel=${rel}]`); if (link) link.click(); };
  const themed = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const dress = (theme) => { if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme; };
  const change = () => {
    const dark = document.documentElement.dataset.theme
      ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    dress(dark ? "light" : "dark");
    try { localStorage.setItem("theme", dark ? "light" : "dark"); } catch { /* it holds for this page alone */ }
  };
  const keys = { j: () => move(1), k: () => move(-1), n: () => follow("next"), p: () => follow("prev"), t: change,
    "/": () => { const box = document.getElementById("search"); if (box) { box.focus(); box.select(); } } };
  addEventListener("keydown", (event) => {
    const typing = event.target.closest && event.target.closest("input, select, textarea");
    if (event.ctrlKey || event.metaKey || event.altKey || (typing && event.key !== "Escape")) return;
    if (typing) { event.target.blur(); return; }
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });

  dress(themed());
  const button = document.getElementById("theme");
  button.hidden = false;
  button.addEventListener("click", change);
  for (const form of document.querySelectorAll("form.filters")) {
    form.addEventListener("change", (event) => { if (event.target.matches("select")) form.requestSubmit(); });
  }
  tell();
  if (live.childElementCount) setTimeout(refresh, wait);
})();
