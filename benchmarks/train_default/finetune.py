"""Trains taggers for a grid of settings, folds and seeds, for cross-validation or as a final model.

    python benchmarks/train_default/finetune.py --data ../shared/data --base BASE --out RUNS --folds 5 --seeds 1,2,3
    python benchmarks/train_default/finetune.py ... --folds 0 --settings plain  # one model of all articles

The first stage (outside corpora) is trained once per seed and shared by settings and folds. RUNS/results.json has the
scores. Complete models are not trained again: repeat a command that was stopped by --minutes. Needs ../shared/data.
Time on 2 cores: 40 minutes for the first stage, 12 to 16 for each fold.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sources import NOT_TRAINED_ON, OUTSIDE, corpus, with_definitions, without

from nlmchem.tagging.inference.labels import Scheme
from nlmchem.tagging.tagger import set_threads
from nlmchem.tagging.training.augmentation import augmenters_of
from nlmchem.tagging.training.data import Corpus, augmented, read_corpus
from nlmchem.tagging.training.plan import StageOptions, TrainingOptions, TrainingOutcome, TrainingPlan
from nlmchem.tagging.training.run import run

FIRST = StageOptions(rate=3e-4, passes=1)
SECOND = StageOptions(rate=1e-4, passes=6)
SETTINGS: dict[str, dict[str, object]] = {
    "plain": {},
    "crf": {"crf": True},
    "bilou": {"scheme": Scheme.BILOU},
    "rate-5e-5": {"rate": 5e-5},
    "rate-2e-4": {"rate": 2e-4},
    "passes-12": {"passes": 12},
    "decay-0.9": {"layer_decay": 0.9},
    "smooth-0.1": {"smoothing": 0.1},
    "masked": {"rate": 1.5e-4, "masking": 0.15},
    "window-512": {"window": 512},
    "window-128": {"window": 128},
    "synonym": {"augment": "synonym"},
    "random": {"augment": "random"},
    "case-greek": {"augment": "case,greek"},
    "synonym-random": {"augment": "synonym,random"},
    "case-shown": {"rate": 2e-4, "letter_case": True},
}
STAGE_FIELDS = ("rate", "passes", "layer_decay", "smoothing", "masking")


def main(arguments: Sequence[str] | None = None) -> TrainingOutcome | None:
    """Train and write RUNS/results.json. Returns the outcome that a time limit stopped, or None if all is done."""
    given = parsed(arguments)
    set_threads(given.threads)
    grid = Grid(given, time.monotonic(), read_data(given))
    results: dict[str, object] = {}
    names = list(SETTINGS) if given.settings == "all" else given.settings.split(",")
    for name in names:
        for seed in map(int, given.seeds.split(",")):
            done = grid.train(name, seed)
            if not done.finished:
                finish(given.out, results, False)
                return done
            scores = done.scores
            results[f"{name}/seed-{seed}"] = scores and {k: scores[k] for k in ("strict", "approximate", "parts")}
            print(json.dumps({name: results[f"{name}/seed-{seed}"], "seed": seed}), flush=True)
    finish(given.out, results, True)
    return None


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--outside", default="bc5cdr,biored,drugprot", help=f"some of {','.join(OUTSIDE)}, or none")
    parser.add_argument("--silver", action="append", default=[], help="BioC file of silver articles (silver.py)")
    parser.add_argument("--silver-weight", type=float, default=0.5)
    parser.add_argument("--silver-stage", action="store_true", help="train on silver in one pass before gold")
    parser.add_argument("--first-augment", default="", help="add changed copies of BC5CDR: synonym,other")
    parser.add_argument("--lexicon", help="the lexicon whose names are used in changed copies")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--only", default="", help="folds, separated by commas (default: all)")
    parser.add_argument("--seeds", default="7", help="seeds, separated by commas")
    parser.add_argument("--settings", default="plain", help=f"some of {','.join(SETTINGS)}, or all")
    parser.add_argument("--on", default="plain", help="the setting that those of --settings modify")
    parser.add_argument("--first-passes", type=float, default=FIRST.passes)
    parser.add_argument("--passes", type=float, default=SECOND.passes)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--minutes", type=float, help="stop after this time; the same command continues")
    parser.add_argument("--articles", type=int, default=0, help="articles per corpus, for a rehearsal (0: all)")
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    return given


@dataclass(frozen=True, slots=True)
class Data:
    target: Corpus
    outside: list[Corpus]
    silver: list[Corpus]


def read_data(given: argparse.Namespace) -> Data:
    """The corpora, without articles of the test part of BC5CDR."""

    def read(name: str) -> Corpus:
        found = corpus(given.data, name)
        return replace(found, documents=found.documents[: given.articles or None])

    scored = corpus(given.data, NOT_TRAINED_ON)
    outside = [without(read(name), scored) for name in given.outside.split(",") if name and name != "none"]
    ways = augmenters_of(given.first_augment, given.lexicon)
    outside += [augmented(own, ways, 1, 0) for own in outside if ways and own.name == "bc5cdr"]
    target = read("nlmchem")
    target = replace(target, documents=with_definitions(target.documents))
    return Data(target, outside, [read_corpus(path, given.silver_weight) for path in given.silver])


@dataclass(frozen=True, slots=True)
class Grid:
    """The options, the start time and the data of all trainings."""

    given: argparse.Namespace
    begun: float
    data: Data

    def train(self, name: str, seed: int) -> TrainingOutcome:
        """Train the stages of one setting and seed, up to the first stage that the time limit stops."""
        given, data = self.given, self.data
        setting = {**SETTINGS[given.on], **SETTINGS[name]}
        options = self.options(setting)
        base = given.base
        if data.outside:
            # The first stage must have the head and scheme of the second one; windows may differ.
            heads = ("-crf" if options.crf else "") + ("-case" if options.letter_case else "")
            out = given.out / f"first-{options.scheme.value}{heads}"
            first = run(TrainingPlan(base, out, (), data.outside, seeds=(seed,), options=options))
            if not first.finished:
                return first
            base = out / f"seed-{seed}" / "first" / "model"
        if given.silver_stage:
            out = given.out / f"{name}-silver"
            between = replace(options, first=replace(FIRST, rate=options.second.rate))
            silver = run(TrainingPlan(base, out, (), data.silver, seeds=(seed,), options=between))
            if not silver.finished:
                return silver
            base = out / f"seed-{seed}" / "first" / "model"
        plan = TrainingPlan(
            base=base,
            out=given.out / name,
            target=[data.target],
            silver=[] if given.silver_stage else data.silver,
            folds=given.folds,
            only=[int(fold) for fold in given.only.split(",") if fold],
            seeds=(seed,),
            options=self.options(setting),
            augmenters=augmenters_of(str(setting.get("augment", "")), given.lexicon),
        )
        return run(plan)

    def options(self, setting: dict[str, object]) -> TrainingOptions:
        """The options of a setting, with the time that is left now."""
        given = self.given
        second = replace(SECOND, passes=given.passes)
        second = replace(second, **{key: setting[key] for key in STAGE_FIELDS if key in setting})  # type: ignore[arg-type]
        whole = {key: setting[key] for key in ("crf", "scheme", "window", "letter_case") if key in setting}
        seconds = None if given.minutes is None else max(0.0, given.minutes * 60 - (time.monotonic() - self.begun))
        return TrainingOptions(
            first=replace(FIRST, passes=given.first_passes),
            second=second,
            device=given.device,
            seconds=seconds,
            **whole,  # type: ignore[arg-type]
        )


def finish(out: Path, results: dict[str, object], finished: bool) -> None:
    text = json.dumps({"finished": finished, "results": results}, indent=1)
    (out / "results.json").write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
