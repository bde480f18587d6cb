"""The report of an evaluation: `index.html`, its figures as files, and all errors as `errors.tsv`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from corpora.model.hierarchy import Hierarchy
from corpora.reporting import Report
from corpora.storage.atomic import write_bytes
from nlmchem.evaluation import error_analysis as errors
from nlmchem.evaluation.articles import Side
from nlmchem.evaluation.comparison import BETTER, Comparison, Result, Task
from nlmchem.evaluation.scores import PRF, Counts
from nlmchem.report.drawing import Drawing, palette_css
from nlmchem.report.figures import figures
from nlmchem.report.html import asset, escape, page, table

__all__ = ["ROWS", "render", "write_report"]

ROWS = 300
"""Rows of a list of errors that the page shows; `errors.tsv` has them all."""


def write_report(
    comparison: Comparison, folder: Path, hierarchy: Hierarchy | None, training: Side | None, report: Report
) -> None:
    """Write the report into a folder, which is made where it is missing; files of an earlier report are replaced.

    `hierarchy` gives the tree distances of wrong identifiers, `training` tells seen names from unseen ones.
    Without Pillow there are no PNG files, which is reported.
    """
    drawings = dict(figures(comparison))
    kinds = _write_figures(drawings, folder / "figures", report)
    lists = [_error_lists(comparison, result, hierarchy, training) for result in comparison.results]
    write_bytes(folder / "errors.tsv", "".join(_errors_tsv(comparison, lists)).encode("utf-8"))
    write_bytes(folder / "index.html", render(comparison, drawings, lists, kinds).encode("utf-8"))


def _write_figures(drawings: dict[str, Drawing], folder: Path, report: Report) -> tuple[str, ...]:
    """Write every figure; says in which kinds of file."""
    for name, drawing in drawings.items():
        write_bytes(folder / f"{name}.svg", drawing.svg().encode("utf-8"))
    try:
        for name, drawing in drawings.items():
            write_bytes(folder / f"{name}.png", drawing.png())
    except ImportError:
        report("figures were written as SVG alone: PNG needs Pillow; install it by `pip install pillow`")
        return ("svg",)
    return ("svg", "png")


def render(
    comparison: Comparison,
    drawings: dict[str, Drawing],
    lists: Sequence[Sequence[ErrorList]],
    kinds: tuple[str, ...],
) -> str:
    """The page, whole: nothing in it is loaded from elsewhere.

    `lists`: the error lists of each run; `kinds`: of figure files that it links.
    """
    pictures = {name: _figure(name, drawing, kinds) for name, drawing in drawings.items()}
    title = f"{comparison.task.value.capitalize()}: {', '.join(result.name for result in comparison.results)}"
    body = "\n".join(
        [
            '<a class="skip" href="#scores">To the scores</a>',
            "<main>",
            f"<h1>{escape(title)}</h1>",
            f"<p>Annotations of type <b>{escape(comparison.type)}</b> in {len(comparison.documents)} documents, "
            f"held against {escape(comparison.gold)} by the measures of the NLM-Chem track.</p>",
            _contents(comparison),
            *_scores(comparison, pictures),
            *_significance(comparison, pictures),
            *_curves(pictures),
            *_errors(comparison, lists),
            *_documents(comparison),
            "</main>",
        ]
    )
    styles = (asset("page.css"), palette_css(), asset("evaluation.css"))
    return page(title, body, styles, asset("evaluation.js"))


def _contents(comparison: Comparison) -> str:
    entries = [("scores", "Scores")]
    if comparison.number_of_samples:
        entries.append(("significance", _sureness(comparison)))
    entries += [("curves", "Curves"), ("errors-heading", "Errors"), ("documents", "Documents")]
    links = "".join(f'<a href="#{id}">{escape(name)}</a>' for id, name in entries)
    return f'<nav class="contents" aria-label="Contents">{links}</nav>'


def _figure(name: str, drawing: Drawing, kinds: tuple[str, ...]) -> str:
    files = ", ".join(f'<a href="figures/{name}.{kind}">{kind.upper()}</a>' for kind in kinds)
    return f"<figure>{drawing.inline_svg()}<figcaption>{escape(drawing.title)} ({files})</figcaption></figure>"


# -- scores -------------------------------------------------------------------------------------


def _scores(comparison: Comparison, pictures: dict[str, str]) -> Iterator[str]:
    yield '<h2 id="scores">Scores</h2>'
    for measure in comparison.measures:
        rows = []
        for result in comparison.results:
            of_run = result.measure(measure)
            if of_run is None:
                continue
            row = [result.name]
            for position, value in enumerate((of_run.score.precision, of_run.score.recall, of_run.score.f1)):
                row.append(f"{value:.4f}")
                if of_run.intervals is not None:
                    interval = of_run.intervals[position]
                    row[-1] += f" [{interval.low:.4f}, {interval.high:.4f}]"
            rows.append(row + _count_cells(of_run.score))
        head = ["Run", "Precision", "Recall", "F1"]
        if len(rows[0]) > len(head):
            head += ["Gold", "Found", "Predicted", "Right"]
        yield table(head, rows, caption=_measure_caption(comparison, measure), id=f"scores-{measure}")
        name = f"intervals-{measure}"
        if name in pictures and len(comparison.results) > 1:
            yield pictures[name]


def _count_cells(score: PRF) -> list[str]:
    if not isinstance(score, Counts):
        return []
    return [str(number) for number in (score.gold, score.found, score.predicted, score.right)]


def _measure_caption(comparison: Comparison, measure: str) -> str:
    mean = measure == "approximate" and comparison.task is not Task.SPANS
    how = "mean over documents" if mean else "micro-average"
    brackets = "; in brackets the middle 95% of bootstrap samples" if comparison.number_of_samples else ""
    return f"{measure.capitalize()}, {how}{brackets}"


def _significance(comparison: Comparison, pictures: dict[str, str]) -> Iterator[str]:
    if not comparison.number_of_samples:
        return
    yield f'<h2 id="significance">{_sureness(comparison)}</h2>'
    better = f" A run is better than another where its F1 is higher in at least {BETTER:.0%} of the samples."
    yield (
        f"<p>Paired bootstrap, {comparison.number_of_samples} samples, seed {comparison.seed}."
        f"{better if len(comparison.results) > 1 else ''}</p>"
    )
    for measure in comparison.measures:
        if len(comparison.results) > 1:
            yield _wins_table(comparison, measure)
    yield '<div class="figures">'
    for measure in comparison.measures:
        yield pictures[f"bootstrap-{measure}"]
    yield "</div>"


def _sureness(comparison: Comparison) -> str:
    return "Who is better" if len(comparison.results) > 1 else "How sure the scores are"


def _wins_table(comparison: Comparison, measure: str) -> str:
    names = [result.name for result in comparison.results]
    wins = comparison.wins[measure]
    caption = f"{measure.capitalize()}: share of samples in which the row is above the column"
    head = "".join(f'<th scope="col" class="figure">{escape(name)}</th>' for name in names)
    lines = [
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(caption)}"><table id="wins-{measure}">'
        f'<caption>{escape(caption)}</caption><thead><tr><th scope="col">Run</th>{head}</tr></thead><tbody>'
    ]
    for row, name in enumerate(names):
        cells = ""
        for column in range(len(names)):
            share = float(wins[row, column])
            if row == column:
                cells += '<td class="figure"></td>'
            elif share >= BETTER:
                cells += f'<td class="figure better">{share:.4f} better</td>'
            else:
                cells += f'<td class="figure">{share:.4f}</td>'
        lines.append(f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>')
    return "\n".join(lines) + "</tbody></table></div>"


def _curves(pictures: dict[str, str]) -> Iterator[str]:
    names = [name for name in pictures if name == "precision-recall" or name.startswith("threshold-")]
    yield '<h2 id="curves">Curves</h2>'
    if not names:
        yield "<p>No prediction has a score, so there is nothing to draw over thresholds.</p>"
        return
    yield "<p>What the strict scores would be if only predictions from a certain score upwards were kept.</p>"
    yield '<div class="figures">'
    for name in names:
        yield pictures[name]
    yield "</div>"


def _documents(comparison: Comparison) -> Iterator[str]:
    yield '<h2 id="documents">Documents</h2>'
    for measure in comparison.measures:
        rows = []
        for position, document in enumerate(comparison.documents):
            scores = [
                of_run.documents[position]
                for result in comparison.results
                if (of_run := result.measure(measure)) is not None
            ]
            rows.append([document, *(f"{score.f1:.4f}" if score is not None else "" for score in scores)])
        head = ["Document", *(result.name for result in comparison.results)]
        yield table(head, rows, caption=f"F1 by document, {measure}", id=f"documents-{measure}")


# -- errors -------------------------------------------------------------------------------------

ErrorList = tuple[str, list[str], list[list[str]], int]
"""Caption, column names, rows, and how many columns hold words."""


def _errors(comparison: Comparison, lists: Sequence[Sequence[ErrorList]]) -> Iterator[str]:
    yield '<h2 id="errors-heading">Errors</h2>'
    yield '<div class="filter screen" hidden><label>Find in errors <input id="search" type="search"></label>'
    if len(comparison.results) > 1:
        options = "".join(f'<option value="{number}">{escape(r.name)}</option>' for number, r in _numbered(comparison))
        yield f'<label>Run <select id="run"><option value="">all</option>{options}</select></label>'
    yield '<span id="shown" role="status"></span></div>'
    yield '<div id="errors">'
    for (number, result), of_run in zip(_numbered(comparison), lists, strict=True):
        yield f'<section class="run" data-run="{number}" aria-label="{escape(result.name)}">'
        yield f"<h3>{escape(result.name)}</h3>"
        for caption, head, rows, texts in of_run:
            yield _shown(caption, head, rows, texts)
        yield "</section>"
    yield "</div>"


def _numbered(comparison: Comparison) -> Iterator[tuple[int, Result]]:
    return enumerate(comparison.results, start=1)


def _shown(caption: str, head: list[str], rows: list[list[str]], texts: int) -> str:
    if not rows:
        return f"<p>{escape(caption)}: none.</p>"
    if len(rows) > ROWS:
        caption += f": the first {ROWS} of {len(rows)} rows, all in errors.tsv"
    return table(head, rows[:ROWS], caption=caption, texts=texts)


def _group_tables(comparison: Comparison, result: Result, training: Side | None) -> Iterator[ErrorList]:
    groupings = dict(errors.GROUPINGS)
    surface = groupings.pop("Surface")
    if training is not None:
        groupings["Training"] = errors.seen_in(errors.seen_surfaces(training, comparison.type))
    head = ["Gold", "Missed", "Boundary, gold", "Predicted", "False", "Boundary, predicted"]
    for name, grouping in groupings.items():
        rows = [_group_row(group) for group in errors.group_mentions(result, grouping)]
        yield f"Mentions by {name.lower()}", [name, *head], rows, 1
    rows = [_group_row(group) for group in errors.group_mentions(result, surface) if group.errors]
    yield "Mentions by surface, where something is wrong", ["Surface", *head], rows, 1


def _group_row(group: errors.Group) -> list[str]:
    figures = (group.gold, group.missed, group.gold_cut, group.predicted, group.false, group.predicted_cut)
    return [group.label, *map(str, figures)]


def _error_lists(
    comparison: Comparison, result: Result, hierarchy: Hierarchy | None, training: Side | None
) -> list[ErrorList]:
    if comparison.task is Task.SPANS:
        return [*_group_tables(comparison, result, training), _boundary_list(result)]
    found = errors.identifier_errors(comparison, result, hierarchy)
    return [
        _sieve_list(comparison, result, found),
        _identifier_list("Wrong identifiers", [error for error in found if error.wrong], wrong=True),
        _identifier_list("Missed identifiers", [error for error in found if not error.wrong], wrong=False),
    ]


def _boundary_list(result: Result) -> ErrorList:
    counted = errors.boundary_errors(result)
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0].gold, item[0].predicted, item[0].kind))
    rows = [[error.gold, error.predicted, error.kind, str(number)] for error, number in ordered]
    return "Mentions that were cut wrongly", ["Gold", "Predicted", "The prediction is", "Times"], rows, 3


def _sieve_list(comparison: Comparison, result: Result, found: Sequence[errors.IdentifierError]) -> ErrorList:
    rows = []
    for account in errors.sieve_accounts(comparison, result, found):
        near = sum(number for steps, number in account.distances.items() if steps is not None and steps <= 1)
        far = sum(number for steps, number in account.distances.items() if steps is not None and steps > 1)
        unrelated = account.distances[None]
        rows.append([account.sieve, *map(str, (account.right, account.wrong, near, far, unrelated))])
    head = ["Sieve", "Right", "Wrong", "One step from gold", "Further", "No way in the tree"]
    return "Identifiers of documents by the sieve that gave them", head, rows, 1


def _identifier_list(caption: str, found: Sequence[errors.IdentifierError], wrong: bool) -> ErrorList:
    """One row for errors that are the same but for the document."""
    Same = tuple[str, str, str, str, str]
    counted: Counter[Same] = Counter()
    documents: dict[Same, list[str]] = {}
    for error in found:
        same = (
            error.identifier,
            " | ".join(error.surfaces),
            ", ".join(error.sieves),
            error.nearest or "",
            "" if error.distance is None else str(error.distance),
        )
        counted[same] += 1
        documents.setdefault(same, []).append(error.document)
    rows = []
    for same, number in sorted(counted.items(), key=lambda item: (-item[1], item[0])):
        identifier, surfaces, sieves, nearest, distance = same
        sieve_cell = [sieves] if wrong else []
        rows.append([identifier, surfaces, *sieve_cell, nearest, " ".join(documents[same]), distance, str(number)])
    sieve_head = ["Sieve"] if wrong else []
    near = "Nearest gold" if wrong else "Nearest predicted"
    head = ["Identifier", "Mentions", *sieve_head, near, "Documents", "Steps", "Times"]
    return caption, head, rows, len(head) - 2


def _errors_tsv(comparison: Comparison, lists: Sequence[Sequence[ErrorList]]) -> Iterator[str]:
    """All rows of all lists: run, list, then the list's columns as `name=value`."""
    for result, of_run in zip(comparison.results, lists, strict=True):
        for caption, head, rows, _ in of_run:
            for row in rows:
                cells = [f"{name}={value}" for name, value in zip(head, row, strict=True)]
                yield "\t".join(" ".join(cell.split()) for cell in (result.name, caption, *cells)) + "\n"
