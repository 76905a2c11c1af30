"use strict";
// Keys, detail levels, diffs side by side, and parts that are packed until they are near.
const root = document.documentElement, one = (id) => document.getElementById(id);
const all = (selector, from = document) => from.querySelectorAll(selector);
const BUDGET = 24e6;
let built = 0, at = null;

// An activity is open, or its body is hidden until the browser's search finds something in it.
function show(a, open, short) {
  const body = a.querySelector(":scope > .b");
  if (!body) return;
  a.classList.toggle("open", open);
  a.classList.toggle("short", open && short);
  a.querySelector(":scope > .h button").setAttribute("aria-expanded", open);
  if (open) body.removeAttribute("hidden"); else body.setAttribute("hidden", "until-found");
  if (open && short && !body.hasAttribute("tabindex")) body.tabIndex = 0;
  if (!short) body.removeAttribute("tabindex");
}
function level(a) {
  const chosen = one("level").value, own = chosen === "default" ? a.dataset.level : chosen;
  show(a, own !== "title", own === "summary");
}
function split(d) {
  const wanted = one("diffs").value === "split" && !d.classList.contains("one");
  for (const copy of all(".copy", d)) copy.remove();
  d.classList.toggle("split", wanted);
  for (const line of [...d.children]) {
    line.style.gridRow = wanted ? line.dataset.r : "";
    if (wanted && line.classList.contains("kept")) {
      const copy = line.cloneNode(true);
      copy.classList.add("copy");
      copy.classList.remove("kept");
      copy.setAttribute("aria-hidden", "true");
      d.append(copy);
    }
  }
}
function dress(from) {
  for (const a of all(".a", from)) level(a);
  if (one("diffs").value === "split") for (const d of all(".diff", from)) split(d);
}

// Packed parts: deflated HTML that the exporter wrote and escaped, in data blocks of the page.
const reading = new WeakMap();
function unpack(part) {
  // Several ask for the same part: each waits until it is there.
  if (!reading.has(part)) reading.set(part, read(part));
  return reading.get(part);
}
async function read(part) {
  near.unobserve(part);
  const bytes = Uint8Array.from(atob(one(part.dataset.part).textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const html = await new Response(stream).text();
  const box = document.createElement("template");
  box.innerHTML = html;
  built += html.length;
  const content = box.content;
  dress(content);
  one(part.dataset.part).remove();
  part.replaceWith(content);
  count();
}
const near = new IntersectionObserver((seen) => {
  for (const each of seen) if (each.isIntersecting) unpack(each.target);
}, { rootMargin: "1500px" });
function later() { return [...all(".later")].filter((part) => !reading.has(part)); }
function count() {
  const left = later().length;
  one("packed").hidden = !left;
  if (left) one("left").textContent = `${left} parts are not built yet: search does not find their text.`;
}
async function unpackAll() {
  for (const part of all(".later")) await unpack(part);
}
// The rest is built while nobody waits, up to a size that any browser holds.
function idle() {
  const part = later()[0];
  if (!part || built > BUDGET) return;
  unpack(part).then(() => (window.requestIdleCallback || setTimeout)(idle));
}
async function go() {
  const id = decodeURIComponent(location.hash.slice(1));
  if (!id) return;
  for (const part of all(".later")) {
    if (one(id)) break;
    await unpack(part);
  }
  const a = one(id);
  if (!a) return;
  for (let up = a.closest("details"); up; up = up.parentElement.closest("details")) up.open = true;
  if (a.classList.contains("a")) { show(a, true, false); select(a); }
  a.scrollIntoView();
}

function select(a) {
  if (at) at.classList.remove("at");
  at = a;
  a.classList.add("at");
  (a.querySelector(":scope > .h button") || a.querySelector(":scope > .h a")).focus({ preventScroll: true });
  a.scrollIntoView({ block: "nearest" });
}
async function step(by) {
  const each = [...all(".a")], from = each.indexOf(at);
  let next = from < 0 ? 0 : from + by;
  // To ask an activity has the browser lay out its whole turn: only those on the way are asked.
  while (each[next] && !each[next].checkVisibility()) next += from < 0 ? 1 : by;
  if (each[next]) select(each[next]);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest(".h button");
  if (!button) return;
  const a = button.closest(".a");
  select(a);
  const shut = !a.classList.contains("open") || a.classList.contains("short");
  show(a, shut, false);
});
document.addEventListener("beforematch", (event) => {
  const a = event.target.closest(".a");
  if (a) show(a, true, false);
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("select,input")) return;
  if (event.key === "j") step(1);
  else if (event.key === "k") step(-1);
  else if (event.key === "o" && at) show(at, !at.classList.contains("open"), false);
  else return;
  event.preventDefault();
});
one("level").addEventListener("change", () => { for (const a of all(".a")) level(a); });
one("diffs").addEventListener("change", () => { for (const d of all(".diff")) split(d); });
one("theme").addEventListener("change", () => {
  const theme = one("theme").value;
  if (theme === "system") delete root.dataset.theme; else root.dataset.theme = theme;
});
one("all").addEventListener("click", unpackAll);
window.addEventListener("hashchange", go);
window.addEventListener("DOMContentLoaded", () => {
  one("tools").hidden = false;
  for (const part of later()) near.observe(part);
  count();
  go();
  (window.requestIdleCallback || setTimeout)(idle);
});
