"""Cross-validation and the final model: a grid of settings, folds and seeds, in one command that can be repeated.

    python benchmarks/train_default/finetune.py --data ../shared/data --base BASE --out RUNS --folds 5 --seeds 1,2,3
    python benchmarks/train_default/finetune.py ... --folds 0 --settings plain  # the model that ships: all articles

The first stage (outside corpora) is trained once a seed and shared by settings and folds. RUNS/results.json has the
scores; what is trained already is not trained again, so a command that ran out of time is simply called again.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path

from sources import NOT_TRAINED_ON, OUTSIDE, corpus, unpacked_base, with_definitions, without

from nlmchem.tagging.models.labels import Scheme
from nlmchem.tagging.tagger import set_threads
from nlmchem.tagging.training.augmenters import augmenters_of
from nlmchem.tagging.training.data import Corpus, augmented, read_corpus
from nlmchem.tagging.training.options import StageOptions, TrainingOptions
from nlmchem.tagging.training.run import Plan, run

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--outside", default="bc5cdr,biored,drugprot", help=f"of {','.join(OUTSIDE)}, or none")
    parser.add_argument("--silver", action="append", default=[], help="BioC file of silver articles (silver.py)")
    parser.add_argument("--silver-weight", type=float, default=0.5)
    parser.add_argument("--silver-stage", action="store_true", help="silver in one pass before gold, not among it")
    parser.add_argument("--first-augment", default="", help="BC5CDR's changed copies to add: synonym,other")
    parser.add_argument("--lexicon", help="where copies take names from")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--only", default="", help="folds to do, joined by commas")
    parser.add_argument("--seeds", default="7")
    parser.add_argument("--settings", default="plain", help=f"of {','.join(SETTINGS)}, or all")
    parser.add_argument("--on", default="plain", help="the setting that those of --settings change")
    parser.add_argument("--first-passes", type=float, default=FIRST.passes)
    parser.add_argument("--passes", type=float, default=SECOND.passes)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--minutes", type=float, help="stop after so many; the same command goes on")
    parser.add_argument("--articles", type=int, default=0, help="articles a corpus, for a rehearsal; 0: all")
    given = parser.parse_args()
    set_threads(given.threads)
    begun = time.monotonic()
    given.out.mkdir(parents=True, exist_ok=True)
    given.base = unpacked_base(given.base, given.out / "base")
    short = given.articles or None

    def read(name: str) -> Corpus:
        found = corpus(given.data, name)
        return replace(found, documents=found.documents[:short])

    scored = corpus(given.data, NOT_TRAINED_ON)
    outside = [without(read(name), scored) for name in given.outside.split(",") if name and name != "none"]
    ways = augmenters_of(given.first_augment, given.lexicon)
    outside += [augmented(learnt, ways, 1, 0) for learnt in outside if ways and learnt.name == "bc5cdr"]
    target = read("nlmchem")
    target = replace(target, documents=with_definitions(target.documents))
    silver = [read_corpus(path, given.silver_weight) for path in given.silver]
    results: dict[str, object] = {}
    names = list(SETTINGS) if given.settings == "all" else given.settings.split(",")
    for name in names:
        setting = {**SETTINGS[given.on], **SETTINGS[name]}
        options = options_of(setting, given, begun)
        for seed in map(int, given.seeds.split(",")):
            # The head of the first stage must have the scheme of the second; windows and the rest may differ.
            heads = ("-crf" if options.crf else "") + ("-case" if options.letter_case else "")
            first_name = f"first-{options.scheme.value}{heads}"
            base = given.base
            if outside:
                first = run(Plan(given.base, given.out / first_name, (), outside, seeds=(seed,), options=options))
                if not first.finished:
                    return finish(given.out, results, False)
                base = given.out / first_name / f"seed-{seed}" / "first" / "model"
            if given.silver_stage:
                between = replace(options, first=replace(FIRST, rate=options.second.rate))
                silvered = run(Plan(base, given.out / f"{name}-silver", (), silver, seeds=(seed,), options=between))
                if not silvered.finished:
                    return finish(given.out, results, False)
                base = given.out / f"{name}-silver" / f"seed-{seed}" / "first" / "model"
            plan = Plan(
                base=base,
                out=given.out / name,
                target=[target],
                silver=[] if given.silver_stage else silver,
                folds=given.folds,
                only=[int(fold) for fold in given.only.split(",") if fold],
                seeds=(seed,),
                options=remaining(options, given, begun),
                augmenters=augmenters_of(str(setting.get("augment", "")), given.lexicon),
            )
            done = run(plan)
            if not done.finished:
                return finish(given.out, results, False)
            results[f"{name}/seed-{seed}"] = None if done.scores is None else summary(done.scores)
            print(json.dumps({name: results[f"{name}/seed-{seed}"], "seed": seed}), flush=True)
    return finish(given.out, results, True)


def options_of(setting: dict[str, object], given: argparse.Namespace, begun: float) -> TrainingOptions:
    second = replace(SECOND, passes=given.passes)
    second = replace(second, **{key: setting[key] for key in STAGE_FIELDS if key in setting})  # type: ignore[arg-type]
    whole = {key: setting[key] for key in ("crf", "scheme", "window", "letter_case") if key in setting}
    options = TrainingOptions(
        first=replace(FIRST, passes=given.first_passes),
        second=second,
        device=given.device,
        **whole,  # type: ignore[arg-type]
    )
    return remaining(options, given, begun)


def remaining(options: TrainingOptions, given: argparse.Namespace, begun: float) -> TrainingOptions:
    if given.minutes is None:
        return options
    return replace(options, seconds=max(0.0, given.minutes * 60 - (time.monotonic() - begun)))


def summary(scores: dict[str, object]) -> dict[str, object]:
    return {key: scores[key] for key in ("strict", "approximate", "parts")}


def finish(out: Path, results: dict[str, object], finished: bool) -> None:
    out.mkdir(parents=True, exist_ok=True)
    told = json.dumps({"finished": finished, "results": results}, indent=1)
    (out / "results.json").write_text(told + "\n")
    print(told)


if __name__ == "__main__":
    main()
