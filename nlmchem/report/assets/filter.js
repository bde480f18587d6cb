"use strict";
// Filters table rows by text, and sections by run; sorts tables by a column. Without JavaScript all rows are visible and
// the controls are hidden.
(function () {
  document.querySelectorAll("table.sortable").forEach((table) => {
    const heads = Array.from(table.querySelectorAll("thead th"));
    const body = table.querySelector("tbody");
    const numeric = (column) => heads[column].classList.contains("figure");

    // Empty cells are last in both directions.
    function compare(a, b, column, sign) {
      const [x, y] = [a, b].map((row) => row.children[column].textContent.trim());
      if ((x === "") !== (y === "")) { return x === "" ? 1 : -1; }
      const order = numeric(column) ? parseFloat(x) - parseFloat(y) : x.localeCompare(y, "en", { numeric: true });
      return sign * order;
    }

    function sort(column) {
      const before = heads[column].getAttribute("aria-sort");
      const ascending = before === null ? true : before !== "ascending";
      heads.forEach((head) => head.removeAttribute("aria-sort"));
      heads[column].setAttribute("aria-sort", ascending ? "ascending" : "descending");
      const rows = Array.from(body.rows);
      rows.sort((a, b) => compare(a, b, column, ascending ? 1 : -1));
      body.append(...rows);
    }

    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sort(column));
      head.append(button);
    });
  });

  const search = document.getElementById("search");
  const run = document.getElementById("run");
  const status = document.getElementById("shown");
  if (!search) { return; }
  const rows = Array.from(document.querySelectorAll("#filtered tbody tr"));
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  function apply() {
    const wanted = search.value.trim().toLowerCase();
    let shown = 0;
    rows.forEach((row) => {
      row.hidden = wanted !== "" && !texts.get(row).includes(wanted);
    });
    // A table without a row that matches is hidden.
    document.querySelectorAll("#filtered .wide").forEach((table) => {
      table.hidden = wanted !== "" && !table.querySelector("tbody tr:not([hidden])");
    });
    document.querySelectorAll("#filtered section.run").forEach((section) => {
      section.hidden = run !== null && run.value !== "" && section.dataset.run !== run.value;
      if (!section.hidden) { shown += section.querySelectorAll("tbody tr:not([hidden])").length; }
    });
    status.textContent = wanted === "" ? "" : shown + (shown === 1 ? " row" : " rows");
  }
  search.addEventListener("input", apply);
  if (run) { run.addEventListener("change", apply); }
  document.querySelectorAll(".screen[hidden]").forEach((item) => { item.hidden = false; });
})();
