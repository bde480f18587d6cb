"use strict";
// One search box and one choice of run over all tables of errors; without script everything is shown.
(function () {
  const search = document.getElementById("search");
  const run = document.getElementById("run");
  const said = document.getElementById("shown");
  if (!search) { return; }
  const rows = Array.from(document.querySelectorAll("#errors tbody tr"));
  const texts = rows.map((row) => row.textContent.toLowerCase());
  function apply() {
    const wanted = search.value.trim().toLowerCase();
    let shown = 0;
    rows.forEach((row, at) => {
      row.hidden = wanted !== "" && !texts[at].includes(wanted);
    });
    document.querySelectorAll("#errors section.run").forEach((section) => {
      section.hidden = run !== null && run.value !== "" && section.dataset.run !== run.value;
      if (!section.hidden) { shown += section.querySelectorAll("tbody tr:not([hidden])").length; }
    });
    said.textContent = wanted === "" ? "" : shown + " rows";
  }
  search.addEventListener("input", apply);
  if (run) { run.addEventListener("change", apply); }
  document.querySelectorAll(".screen[hidden]").forEach((item) => { item.hidden = false; });
})();
