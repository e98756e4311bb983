
"use strict";
(() => {
  const steps = [...document.querySelectorAll(".step")];
  const buttons = [...document.querySelectorAll("[data-step]")];
  const bars = [...document.querySelectorAll("[data-bar]")];
  const previous = document.getElementById("previous");
  const next = document.getElementById("next");
  const position = document.getElementById("position");
  let at = 0;

  function show(i) {
    at = Math.max(0, Math.min(steps.length - 1, i));
    steps.forEach((s, k) => { s.hidden = k !== at; });
    buttons.forEach((b, k) => {
      if (k === at) b.setAttribute("aria-current", "step");
      else b.removeAttribute("aria-current");
    });
    bars.forEach((b) => b.classList.toggle("current", Number(b.dataset.bar) === at));
    previous.disabled = at === 0;
    next.disabled = at === steps.length - 1;
    position.textContent = at + " of " + (steps.length - 1);
    // The timeline scrolls by itself; the page stays where it is.
    const list = buttons[at].closest("ol");
    const b = buttons[at].getBoundingClientRect(), l = list.getBoundingClientRect();
    if (b.left < l.left || b.right > l.right) list.scrollLeft += b.left - l.left - 8;
    if (b.top < l.top || b.bottom > l.bottom) list.scrollTop += b.top - l.top - 8;
  }

  function go(i) {
    show(i);
    history.replaceState(null, "", "#step" + at);
  }

  // Arrow keys that scroll a wide diagram are left alone.
  function scrolls(e) {
    const box = e.target.closest && e.target.closest(".scroll");
    return box && box.scrollWidth > box.clientWidth;
  }

  document.addEventListener("keydown", (e) => {
    if (e.altKey || e.ctrlKey || e.metaKey || e.shiftKey || scrolls(e)) return;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1 }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    go(to);
  });
  previous.addEventListener("click", () => go(at - 1));
  next.addEventListener("click", () => go(at + 1));
  buttons.forEach((b, k) => b.addEventListener("click", () => go(k)));
  const fromHash = () => Number((/^#step(\d+)$/.exec(location.hash) || [0, 0])[1]);
  addEventListener("hashchange", () => show(fromHash()));

  document.documentElement.classList.add("scripted");
  show(fromHash());
})();
