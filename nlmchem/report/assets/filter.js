"use strict";
// Filters table rows by text, and sections by run. Without JavaScript all rows are visible and the controls are hidden.
(function () {
  const search = document.getElementById("search");
  const run = document.getElementById("run");
  const status = document.getElementById("shown");
  if (!search) { return; }
  const rows = Array.from(document.querySelectorAll("#filtered tbody tr"));
  const texts = rows.map((row) => row.textContent.toLowerCase());
  function apply() {
    const wanted = search.value.trim().toLowerCase();
    let shown = 0;
    rows.forEach((row, at) => {
      row.hidden = wanted !== "" && !texts[at].includes(wanted);
    });
    document.querySelectorAll("#filtered section.run").forEach((section) => {
      section.hidden = run !== null && run.value !== "" && section.dataset.run !== run.value;
      if (!section.hidden) { shown += section.querySelectorAll("tbody tr:not([hidden])").length; }
    });
    status.textContent = wanted === "" ? "" : shown + " rows";
  }
  search.addEventListener("input", apply);
  if (run) { run.addEventListener("change", apply); }
  document.querySelectorAll(".screen[hidden]").forEach((item) => { item.hidden = false; });
})();
