"use strict";
// Hover and focus show the details of a mention in a tip; a click shows them in the panel. The button of a concept
// highlights its mentions only. All text is inserted as text, never as HTML.
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const tip = document.getElementById("tip");
  const panel = document.getElementById("details");
  const text = document.getElementById("text");
  const buttons = Array.from(document.querySelectorAll("button.concept"));
  let chosen = null;   // number of the highlighted concept
  let current = null;  // the mention that was selected last
  let described = null;  // the mention that the tip describes

  function element(name, content, parent) {
    const made = document.createElement(name);
    made.textContent = content;
    parent.appendChild(made);
    return made;
  }

  function link(content, address, parent) {
    const made = element("a", content, parent);
    made.href = address;
    if (!address.startsWith("#")) { made.rel = "noreferrer"; }
    return made;
  }

  function entry(mention) {
    const [type, concepts, sieve, score, matched, definition, status] = data.details[Number(mention.dataset.e)];
    return { type, concepts, sieve, score, matched, definition, status };
  }

  function concept(number) {
    const [id, name, address] = data.concepts[number];
    return { id, name, address };
  }

  // The lines that the tip and the panel have in common.
  function reasons(about) {
    const lines = [];
    if (about.type !== "Chemical") { lines.push("type " + about.type); }
    if (about.sieve !== null) { lines.push("sieve " + about.sieve); }
    if (about.matched !== null) { lines.push("matched \u201c" + about.matched + "\u201d"); }
    if (about.score !== null) { lines.push("score " + about.score.toFixed(4)); }
    if (about.status !== null) { lines.push(about.status); }
    return lines;
  }

  function showTip(mention) {
    const about = entry(mention);
    tip.replaceChildren();
    about.concepts.forEach((number) => {
      const one = concept(number);
      element("div", one.id === "-" ? one.name : one.name + " (" + one.id + ")", tip);
    });
    if (about.definition !== null) { element("div", "abbreviation of " + about.definition[0], tip); }
    const lines = reasons(about);
    if (lines.length) { element("div", lines.join("; "), tip); }
    tip.hidden = false;
    const place = mention.getClientRects()[0] || mention.getBoundingClientRect();
    const left = Math.max(4, Math.min(place.left, window.innerWidth - tip.offsetWidth - 4));
    const below = place.bottom + tip.offsetHeight < window.innerHeight;
    tip.style.left = left + "px";
    tip.style.top = (below ? place.bottom : Math.max(0, place.top - tip.offsetHeight)) + "px";
    if (described) { described.removeAttribute("aria-describedby"); }
    mention.setAttribute("aria-describedby", "tip");
    described = mention;
  }

  function hideTip() {
    tip.hidden = true;
    if (described) { described.removeAttribute("aria-describedby"); }
    described = null;
  }

  function showDetails(mention) {
    const about = entry(mention);
    panel.replaceChildren();
    element("p", mention.textContent, panel).className = "mention";
    about.concepts.forEach((number) => {
      const one = concept(number);
      const line = element("p", one.name + " ", panel);
      if (one.address) { link(one.id, one.address, line); } else if (one.id !== "-") { element("span", one.id, line); }
    });
    if (about.definition !== null) {
      const line = element("p", "abbreviation of ", panel);
      link(about.definition[0], "#" + about.definition[1], line);
    }
    reasons(about).forEach((line) => element("p", line, panel));
    about.concepts.forEach((number) => {
      const button = element("button", "Show only " + concept(number).name, element("p", "", panel));
      button.type = "button";
      button.addEventListener("click", () => choose(number));
    });
  }

  function of(number) {
    return Array.from(text.querySelectorAll('.m[id][data-c~="' + number + '"]'));
  }

  function choose(number) {
    chosen = chosen === number ? null : number;
    document.body.classList.toggle("filtering", chosen !== null);
    text.querySelectorAll(".m.on").forEach((mention) => mention.classList.remove("on"));
    buttons.forEach((button) => {
      button.setAttribute("aria-pressed", String(chosen !== null && Number(button.dataset.c) === chosen));
    });
    if (chosen === null) { panel.replaceChildren(); element("p", "All mentions are shown.", panel); return; }
    text.querySelectorAll('.m[data-c~="' + chosen + '"]').forEach((mention) => mention.classList.add("on"));
    panel.replaceChildren();
    element("p", concept(chosen).name + ": " + of(chosen).length + " mentions", panel);
    const line = element("p", "", panel);
    [["Previous", -1], ["Next", 1]].forEach(([name, step]) => {
      const button = element("button", name, line);
      button.type = "button";
      button.addEventListener("click", () => go(step));
      line.append(" ");
    });
  }

  function go(step) {
    const all = chosen === null ? Array.from(text.querySelectorAll(".m[id]")) : of(chosen);
    if (!all.length) { return; }
    const at = all.indexOf(current);
    if (current) { current.classList.remove("current"); }
    current = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : (at + step + all.length) % all.length];
    current.classList.add("current");
    current.focus({ preventScroll: true });
    current.scrollIntoView({ block: "center" });
    showTip(current);
  }

  function mentionAt(event) {
    return event.target instanceof Element ? event.target.closest("#text .m") : null;
  }

  text.addEventListener("mouseover", (event) => { const at = mentionAt(event); if (at) { showTip(at); } });
  text.addEventListener("mouseout", (event) => {
    // Moving on to the tip itself keeps it: long names can be read and copied.
    if (!(event.relatedTarget instanceof Node && tip.contains(event.relatedTarget))) { hideTip(); }
  });
  tip.addEventListener("mouseleave", hideTip);
  text.addEventListener("focusin", (event) => { const at = mentionAt(event); if (at) { showTip(at); } });
  text.addEventListener("focusout", hideTip);
  text.addEventListener("click", (event) => { const at = mentionAt(event); if (at) { current = at; showDetails(at); } });
  document.addEventListener("scroll", () => { if (described && described !== document.activeElement) { hideTip(); } });
  buttons.forEach((button) => button.addEventListener("click", () => choose(Number(button.dataset.c))));

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement) { return; }
    const at = mentionAt(event);
    if (at && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); current = at; showDetails(at); }
    if (event.key === "n") { go(1); }
    if (event.key === "p") { go(-1); }
    if (event.key === "Escape") { if (!tip.hidden) { hideTip(); } else if (chosen !== null) { choose(chosen); } }
  });

  const search = document.getElementById("concept-search");
  if (search) {
    search.addEventListener("input", () => {
      const wanted = search.value.trim().toLowerCase();
      document.querySelectorAll("#concepts li").forEach((item) => {
        item.hidden = wanted !== "" && !item.textContent.toLowerCase().includes(wanted);
      });
    });
  }
  const differences = document.getElementById("differences");
  if (differences) {
    differences.addEventListener("change", () => document.body.classList.toggle("differing", differences.checked));
  }
})();
