"use strict";
// Hover and focus show the details of a mention in a tip; a click shows them in the panel. The button of a concept and
// the filters highlight some mentions only. Buttons and keys go to the next mention or error. All text is inserted as
// text, never as HTML.
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const tip = document.getElementById("tip");
  const panel = document.getElementById("details");
  const sheet = document.getElementById("mention");
  const aside = document.querySelector("aside");
  const sieves = new Map(data.sieves);
  const tools = document.querySelector(".tools");
  const status = document.getElementById("position");
  const body = document.body;
  const main = document.getElementById("text");
  const buttons = Array.from(document.querySelectorAll("button.concept"));
  const mentions = Array.from(document.querySelectorAll(".m[id]"));
  const paired = document.getElementById("differences") !== null;
  const roomy = window.matchMedia("(min-width: 60.01rem)");  // the panel is beside the text
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
    const [type, concepts, sieve, score, matched, right, definition, status, decision] = data.details[Number(mention.dataset.e)];
    return { type, concepts, sieve, score, matched, right, definition, status, decision };
  }

  function concept(number) {
    const [id, name, address] = data.concepts[number];
    return { id, name, address };
  }

  function counted(number, noun) {
    return number + " " + noun + (number === 1 ? "" : "s");
  }

  // The lines that the tip and the panel have in common.
  function reasons(about) {
    const lines = [];
    if (about.type !== "Chemical") { lines.push("type " + about.type); }
    if (about.sieve !== null) {
      const words = sieves.get(about.sieve);
      lines.push(words ? words + " (sieve " + about.sieve + ")" : "sieve " + about.sieve);
    }
    if (about.matched !== null) { lines.push("matched \u201c" + about.matched + "\u201d"); }
    if (about.right !== null) { lines.push("right with a probability of " + about.right.toFixed(2)); }
    if (about.score !== null) { lines.push("score " + about.score.toFixed(4)); }
    if (about.status !== null) { lines.push(about.status); }
    return lines;
  }

  // -- the tip and the panel --------------------------------------------------------------------

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
    // It covers neither the mention nor the panel, which is at the right or, on narrow screens, at the bottom.
    const place = mention.getBoundingClientRect();
    const right = roomy.matches ? aside.getBoundingClientRect().left : window.innerWidth;
    const bottom = inPanel() && !roomy.matches ? sheet.getBoundingClientRect().top : window.innerHeight;
    tip.style.left = Math.max(4, Math.min(place.left, right - tip.offsetWidth - 4)) + "px";
    const below = place.bottom + tip.offsetHeight < bottom;
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

  // Whether the panel is on the screen, so that it shows what a step selects.
  function inPanel() {
    return roomy.matches || sheet.classList.contains("open");
  }

  function fill(open) {
    panel.replaceChildren();
    sheet.classList.toggle("open", open);
  }

  function button(text, parent, action) {
    const made = element("button", text, parent);
    made.type = "button";
    made.addEventListener("click", action);
  }

  function showDetails(mention) {
    const about = entry(mention);
    hideTip();
    fill(true);
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
    if (about.decision !== null) { element("p", "decision: " + about.decision, panel).className = "quiet"; }
    about.concepts.forEach((number) => {
      button("Show only " + concept(number).name, element("p", "", panel), () => choose(number));
    });
    const covered = mention.getBoundingClientRect().bottom - sheet.getBoundingClientRect().top;
    if (!roomy.matches && covered > 0) { window.scrollBy(0, covered + 8); }
  }

  // -- which mentions are shown -----------------------------------------------------------------

  function has(mention, number) {
    return mention.dataset.c.split(" ").includes(String(number));
  }

  const filters = ["section", "lowest", "highest", "least", "most", "unlinked"].map((id) => document.getElementById(id)).filter(Boolean);
  const wanted = Object.fromEntries(filters.map((field) => [field.id, field]));

  function sectionOf(mention) {
    return mention.closest("[data-section]").dataset.section;
  }

  function chosenField(field) {
    return field.type === "checkbox" ? field.checked : field.value !== "";
  }

  const checks = {
    section: (mention, value) => sectionOf(mention) === value,
    lowest: (mention, value) => entry(mention).score !== null && entry(mention).score >= Number(value),
    highest: (mention, value) => entry(mention).score !== null && entry(mention).score <= Number(value),
    least: (mention, value) => entry(mention).right !== null && entry(mention).right >= Number(value),
    most: (mention, value) => entry(mention).right !== null && entry(mention).right <= Number(value),
    unlinked: (mention) => mention.classList.contains("u"),
  };

  function applies(mention) {
    if (chosen !== null && !has(mention, chosen)) { return false; }
    return filters.every((field) => !chosenField(field) || checks[field.id](mention, field.value));
  }

  // Marks the mentions that the chosen concept and the filters select; returns their number.
  function mark() {
    const active = chosen !== null || filters.some(chosenField);
    body.classList.toggle("filtering", active);
    document.querySelectorAll(".m[data-e]").forEach((mention) => {
      mention.classList.toggle("on", active && applies(mention));
    });
    const total = mentions.filter(applies).length;
    const given = filters.filter(chosenField).map((field) => field.dataset.what + (field.type === "checkbox" ? "" : " " + field.value));
    if (chosen !== null) { given.unshift(concept(chosen).name); }
    const why = total || !active ? "" : ": none has " + given.join(" and ");
    status.textContent = active ? total + " of " + counted(mentions.length, "mention") + why : "";
    return total;
  }

  function choose(number) {
    chosen = chosen === number ? null : number;
    const total = mark();
    buttons.forEach((button) => {
      button.setAttribute("aria-pressed", String(chosen !== null && Number(button.dataset.c) === chosen));
    });
    if (chosen === null) { fill(false); element("p", "All mentions are shown.", panel); return; }
    fill(true);
    element("p", concept(chosen).name + ": " + counted(total, "mention"), panel);
    const line = element("p", "", panel);
    [["Previous", -1], ["Next", 1]].forEach(([name, step]) => {
      button(name, line, () => goMention(step));
      line.append(" ");
    });
    button("Show all mentions", line, showAll);
  }

  function showAll() {
    filters.forEach((field) => { field.checked = false; field.value = field.type === "checkbox" ? field.value : ""; });
    if (chosen !== null) { choose(chosen); } else { mark(); }
  }

  if (filters.length) {
    new Set(mentions.map(sectionOf)).forEach((name) => { element("option", name, wanted.section).value = name; });
    filters.forEach((field) => field.addEventListener("input", mark));
    document.getElementById("reset").addEventListener("click", showAll);
    mark();  // a reloaded page keeps its fields
  }

  const differences = document.getElementById("differences");
  function showDifferences(wanted) {
    differences.checked = wanted;
    body.classList.toggle("differing", wanted);
    status.textContent = "";
  }
  if (differences) { differences.addEventListener("change", () => showDifferences(differences.checked)); }

  const labels = document.getElementById("labels");
  function label(mention) {
    const names = entry(mention).concepts.map((number) => {
      const one = concept(number);
      if (one.id === "-") { return one.name; }
      const id = one.id.replace(/^MESH:/, "");
      const name = one.name.length > 40 ? one.name.slice(0, 39) + "\u2026" : one.name;
      return labels.value === "ids" ? id : labels.value === "names" ? name : name + " " + id;
    });
    return names.join(" + ");
  }
  function showLabels() {
    body.classList.toggle("labelled", labels.value !== "");
    if (labels.value === "") { return; }
    document.querySelectorAll(".m.z[data-e]").forEach((mention) => { mention.dataset.label = label(mention); });
  }
  labels.addEventListener("change", showLabels);
  showLabels();

  // -- going from mention to mention ------------------------------------------------------------

  // The mentions that the reader steps through. Of two equal mentions, only that of the prediction counts.
  function steps() {
    return mentions.filter((mention) => {
      if (!applies(mention)) { return false; }
      if (!paired) { return true; }
      if (body.classList.contains("differing") && mention.classList.contains("s-same")) { return false; }
      const twice = mention.classList.contains("s-same") || mention.classList.contains("s-concept");
      return mention.id.startsWith("m") || !twice;
    });
  }

  // Each error is a list of mentions that overlap, on both sides.
  function errors() {
    const found = [];
    mentions.forEach((mention) => {
      if (mention.dataset.x === undefined) { return; }
      const number = Number(mention.dataset.x);
      (found[number] = found[number] || []).push(mention);
    });
    return found.filter((error) => error !== undefined && error.some(applies));
  }

  // Whether a comes after b in the text. Rows of both sides count as one place.
  function after(a, b) {
    const row = (mention) => mention.closest(".row") || mention;
    if (paired && row(a) !== row(b)) { a = row(a); b = row(b); }
    return Boolean(b.compareDocumentPosition(a) & Node.DOCUMENT_POSITION_FOLLOWING);
  }

  // The first item behind the selected mention, or in the visible part of the page if no mention is selected.
  function position(items, first, step) {
    if (current) {
      const behind = items.findIndex((item) => after(first(item), current));
      return step > 0 ? (behind < 0 ? 0 : behind) : (behind < 0 ? items.length : behind) - 1;
    }
    const top = tools.getBoundingClientRect().bottom;
    const visible = window.scrollY === 0 ? 0 : items.findIndex((item) => first(item).getBoundingClientRect().top >= top);
    return step > 0 ? Math.max(visible, 0) : (visible < 0 ? items.length : visible) - 1;
  }

  // The address of the page names the selected mention, so that it can be shared as a link.
  function name(mention) {
    if (!mention || !mention.id) { return; }
    try { history.replaceState(null, "", "#" + mention.id); } catch (refused) { /* some browsers refuse it for files */ }
  }

  function select(selected) {
    document.querySelectorAll(".m.current").forEach((mention) => mention.classList.remove("current"));
    selected.forEach((mention) => mention.classList.add("current"));
    current = selected[0];
    name(current);
    current.focus({ preventScroll: true });
    if (inPanel()) { showDetails(current); }
    bring(current, !inPanel());
  }

  // On large pages, passages get their true height when they are near the screen: scroll again after that.
  function bring(mention, withTip, tries = main.classList.contains("large") ? 5 : 0) {
    mention.scrollIntoView({ block: "center" });
    if (withTip) { showTip(mention); }
    if (tries > 0) { setTimeout(() => { if (mention === current) { bring(mention, withTip, tries - 1); } }, 60); }
  }

  function goMention(step) {
    const all = steps();
    if (!all.length) { status.textContent = "no mention"; return; }
    const at = all.indexOf(current);
    const next = (at < 0 ? position(all, (item) => item, step) : at + step + all.length) % all.length;
    const wrapped = (next + all.length) % all.length;
    select([all[wrapped]]);
    status.textContent = "mention " + (wrapped + 1) + " of " + all.length;
  }

  function goError(step) {
    const all = errors();
    if (!all.length) { status.textContent = "no error"; return; }
    const at = all.findIndex((error) => error.includes(current));
    const next = at < 0 ? position(all, (error) => error[0], step) : at + step;
    const wrapped = (next + all.length) % all.length;
    select(all[wrapped]);
    status.textContent = "error " + (wrapped + 1) + " of " + all.length;
  }

  [["previous", () => goMention(-1)], ["next", () => goMention(1)],
   ["previous-error", () => goError(-1)], ["next-error", () => goError(1)]].forEach(([id, action]) => {
    const button = document.getElementById(id);
    if (button) { button.addEventListener("click", action); }
  });

  // A link leads to a mention (from an index term, or from the report of an evaluation) or to a section.
  function arrive() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) { return; }
    if (differences && differences.checked && !target.checkVisibility()) {
      showDifferences(false);
      target.scrollIntoView();
    }
    if (target.matches(".m[id]")) {
      document.querySelectorAll(".m.current").forEach((mention) => mention.classList.remove("current"));
      current = target;
      showDetails(target);
      bring(target, false);
    }
  }
  window.addEventListener("hashchange", arrive);
  arrive();

  // -- events -----------------------------------------------------------------------------------

  function mentionOf(node) {
    return node instanceof Element ? node.closest(".m[data-e]") : null;
  }

  function mentionAt(event) {
    return mentionOf(event.target);
  }

  function selectAt(at) {
    document.querySelectorAll(".m.current").forEach((mention) => mention.classList.remove("current"));
    // Only the first piece of a mention has an id.
    const same = mentions.filter((mention) => mention === at || (mention.dataset.e === at.dataset.e && after(at, mention)));
    current = same.pop() || null;
    name(current);
    showDetails(at);
  }

  // Marks inside of a mention are parts of it.
  document.addEventListener("mouseover", (event) => {
    const at = mentionAt(event);
    if (at && at !== mentionOf(event.relatedTarget)) { showTip(at); }
  });
  document.addEventListener("mouseout", (event) => {
    // Moving on to the tip itself keeps it: long names can be read and copied.
    const to = event.relatedTarget;
    const at = mentionAt(event);
    if (at && at !== mentionOf(to) && !(to instanceof Node && tip.contains(to))) { hideTip(); }
  });
  tip.addEventListener("mouseleave", hideTip);
  document.addEventListener("focusin", (event) => { const at = mentionAt(event); if (at) { showTip(at); } });
  document.addEventListener("focusout", (event) => { if (mentionAt(event)) { hideTip(); } });
  document.addEventListener("click", (event) => { const at = mentionAt(event); if (at) { selectAt(at); } });
  document.addEventListener("scroll", () => { if (described && described !== document.activeElement) { hideTip(); } });
  buttons.forEach((button) => button.addEventListener("click", () => choose(Number(button.dataset.c))));
  document.getElementById("close").addEventListener("click", () => fill(false));

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input:not([type=checkbox]), select")) { return; }
    const at = mentionAt(event);
    if (at && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); selectAt(at); }
    if (event.key === "n") { goMention(1); }
    if (event.key === "p") { goMention(-1); }
    if (paired && event.key === "e") { goError(1); }
    if (paired && event.key === "r") { goError(-1); }
    if (event.key === "Escape") {
      if (!tip.hidden) { hideTip(); return; }
      if (body.classList.contains("filtering")) { showAll(); } else { sheet.classList.remove("open"); }
    }
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

  // Wide screens show the sections beside the text; on narrow screens a link closes the list.
  const sections = document.querySelector("details.sections");
  const wide = window.matchMedia("(min-width: 80rem)");
  sections.open = wide.matches;
  wide.addEventListener("change", () => { sections.open = wide.matches; });
  sections.addEventListener("click", (event) => {
    if (!wide.matches && event.target instanceof HTMLAnchorElement) { sections.open = false; }
  });
})();
