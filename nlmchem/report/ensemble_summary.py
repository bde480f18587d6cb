"""What the commands `ensemble` and `silver` print at the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ensemble.combine import Rule
from ensemble.output import WrittenVote
from nlmchem.evaluation.curves import Best, Curve, Gain
from nlmchem.evaluation.scores import Counts
from nlmchem.report.curve_files import curve_as_json, score_fields

__all__ = ["Summary", "summarize"]


@dataclass(frozen=True, slots=True)
class Summary:
    """`text`: for the terminal. `fields`: for `--json`."""

    text: str
    fields: dict[str, Any]


def summarize(
    written: WrittenVote, rule: Rule, curve: Curve | None, best: Best | None, gain: Gain | None, out: Path
) -> Summary:
    """What was written and, with a gold standard, its scores."""
    counts = written.counts.as_dict()
    runs = len(written.manifest["runs"])
    lines = [
        f"{runs} runs over {counts['documents']} documents, threshold {rule.threshold:.4f}: "
        f"{counts['mentions']} mentions ({counts['distinct_texts']} distinct texts, {counts['merged']} merged), "
        f"{counts['distinct_identifiers']} distinct identifiers, {counts['index_terms']} index terms; results in {out}"
    ]
    fields = {"out": str(out), "runs": runs, "threshold": rule.threshold, **counts}
    if curve is not None:
        here = curve.at(rule.threshold)
        lines.append(f"{'this threshold':>16}  {_scores(here)}")
        lines += _best_lines(best, gain)
        if curve.unscored:
            lines.append(f"{curve.unscored} documents are not in the gold standard and were not scored")
        fields |= {"scores": score_fields(here), "curve": curve_as_json(curve, best, gain)}
    return Summary("\n".join(lines), fields)


def _best_lines(best: Best | None, gain: Gain | None) -> Iterator[str]:
    if best is not None:
        f1, at = best.f1_interval, best.threshold_interval
        yield (
            f"{'best threshold':>16}  {_scores(best.counts)}  at {best.threshold:.4f} (95%: F1 {f1.low:.4f} to "
            f"{f1.high:.4f}, threshold {at.low:.4f} to {at.high:.4f})"
        )
        yield (
            f"{'cross-validated':>16}  {_scores(best.cross_validated)}  each document at the best threshold of the "
            "others"
        )
    if gain is not None:
        interval = gain.gain_interval
        yield (
            f"{'best single run':>16}  {_scores(gain.counts)}  {gain.run}; cross-validated ensemble {gain.gain:+.4f} "
            f"(95%: {interval.low:+.4f} to {interval.high:+.4f}), better in {gain.better:.1%} of samples"
        )


def _scores(counts: Counts) -> str:
    return f"P {counts.precision:.4f}  R {counts.recall:.4f}  F1 {counts.f1:.4f}"
