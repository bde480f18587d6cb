"""The options of a run that decide the bytes of its output."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from corpora.errors import ConfigurationError, OptionError
from corpora.formats.registry import mention_names
from corpora.model.chemical import CHEMICAL
from nlmchem.options import check, check_used, from_python, option, options_of
from nlmchem.tagging.models.arithmetic import AUTO, CHOICES, FLOAT32, INT8, chosen
from nlmchem.tagging.models.embedded import DEFAULT, LEXICON

__all__ = [
    "DEFAULT_FORMAT",
    "DEFAULT_STEPS",
    "EXISTING",
    "FORMATS",
    "KNOWLEDGE",
    "LEARNT",
    "OFF",
    "RULES",
    "STEPS",
    "Configuration",
    "default_decision",
]

STEPS = ("abbreviate", "expand", "tag", "repair", "normalize", "index", "keyphrases")
"""Steps in the order in which they run."""
DEFAULT_STEPS = ("abbreviate", "tag", "normalize", "index")
"""The steps that run if none are selected."""

EXISTING = ("keep", "replace", "error")
FORMATS = mention_names()
"""Output formats: those that can store mentions."""
DEFAULT_FORMAT = "biocxml"
OFF = "off"
KNOWLEDGE, LEARNT, RULES = "knowledge", "learnt", "rules"
"""Decisions: with the knowledge of the lexicon, with the embedded model, or the rules of the tagger alone."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """Options of a run. Equal configurations give equal bytes, for any number of workers and any order of files.

    The fields are the arguments of `nlmchem.load`, the options of `nlmchem annotate` and the keys of its
    configuration file. `nlmchem.load` has no `format` and no `lines`: it neither writes nor reads files.
    """

    steps: tuple[str, ...] = option(DEFAULT_STEPS, "Steps to run, joined by commas.", choices=STEPS, metavar="STEP,...")
    format: str | None = option(
        None, "Output format.", choices=FORMATS, default_text="by the suffix of the output, else biocxml"
    )
    lines: bool = option(
        False, "Text files (.txt) and standard input contain one article in each line.", flags=("--lines",)
    )
    tagger: str = option(
        "default",
        "Tagger: default (the embedded model), lexicon, or the folder of a model. Several, joined by commas, give one "
        "result together.",
        metavar="NAME,...",
        steps=("tag",),
    )
    device: str = option("cpu", "Where models run: cpu, cuda or cuda:N.")
    arithmetic: str = option(
        AUTO,
        "Arithmetic of models on a CPU: int8, float32, or auto (int8 if the processor has instructions for it).",
        choices=CHOICES,
        steps=("tag",),
        harmless=(FLOAT32,),
    )
    guidelines: str | None = option(
        None,
        "Annotation guidelines that the model follows, one of those it was trained with: bc5cdr, biored, chemdner or "
        "drugprot with the embedded model.",
        metavar="NAME",
        default_text="those of NLM-Chem with the embedded model",
        steps=("tag",),
    )
    min_score: float = option(
        0.0, "Remove mentions of models with a lower score.", minimum=0, maximum=1, steps=("tag",)
    )
    rules: str = option(
        "default",
        "Rules that correct the mentions of a model: default, all, none, or names joined by commas "
        "(docs/reference/tagger.md).",
        metavar="RULE,...",
        steps=("tag", "repair"),
    )
    decision: str | None = option(
        None,
        "Decision about the mentions after the rules: knowledge (what the lexicon has about each mention), learnt (the "
        "embedded model), rules (no decision), or the path of a model (.json).",
        metavar="NAME",
        default_text="learnt with the embedded tagger, otherwise knowledge",
        steps=("tag", "repair"),
        harmless=(KNOWLEDGE,),
    )
    repair_types: tuple[str, ...] = option(
        (),
        "Types of the mentions that the step repair takes, joined by commas, for example Chemical,drug.",
        metavar="TYPE,...",
        default_text="Chemical",
        steps=("repair",),
    )
    explain: bool = option(False, "Write into each new mention why the decision keeps it.", steps=("tag", "repair"))
    dictionary: str | None = option(
        None,
        "Dictionary of the step expand: a folder of `nlmchem train senses`, or a file of `nlmchem corpora dictionary`.",
        metavar="PATH",
        default_text="the embedded one",
        steps=("expand",),
    )
    expand_threshold: float | None = option(
        None,
        "Lowest probability of a sense that the step expand writes.",
        minimum=0,
        maximum=1,
        default_text="0.8",
        steps=("expand",),
    )
    lexicon: str | None = option(
        None,
        "Lexicon file (.sqlite or .tsv), or starter.",
        default_text="MeSH, as it comes with nlmchem",
        steps=("tag", "repair", "normalize", "index"),
    )
    as_of: int | None = option(
        None,
        "Use the MeSH identifiers of this year. The lexicon must contain the history of the year.",
        metavar="YEAR",
        default_text="the year of the lexicon",
        steps=("normalize", "index"),
    )
    sieves: tuple[str, ...] = option(
        (),
        "Sieves in the order in which they are tried, joined by commas. `nlmchem lexicon order` prints an order.",
        metavar="SIEVE,...",
        default_text="all, in the order of docs/reference/normalization.md",
        steps=("normalize",),
    )
    skip_sections: tuple[str, ...] = option(
        (),
        "Section types that are not tagged or repaired, joined by commas, for example REF,SUPPL.",
        metavar="SECTION,...",
        steps=("tag", "repair"),
    )
    existing: str | None = option(
        None,
        "Mentions, index terms and keyphrases of the input: keep them, replace them, or treat the article as an error.",
        choices=EXISTING,
        default_text="error for mentions with the step tag, otherwise keep",
        steps=("tag", "normalize", "index", "keyphrases"),
        harmless=("keep",),
    )
    dense: str | None = option(
        None,
        "Encoder of the dense fallback: default, the path of a model, or off.",
        default_text=OFF,
        steps=("normalize",),
        harmless=(OFF,),
    )
    dense_threshold: float | None = option(
        None,
        "Lowest cosine that the dense fallback accepts.",
        minimum=0,
        maximum=1,
        default_text="0.85",
        steps=("normalize",),
    )
    indexer: str | None = option(
        None,
        "Indexer: default, title-abstract, rules, tfidf, or the path of a model (.json).",
        default_text="default, the embedded model",
        steps=("index",),
    )
    index_threshold: float | None = option(
        None, "Lowest score of an index term.", minimum=0, maximum=1, default_text="the indexer's own", steps=("index",)
    )
    keyphrase_model: str | None = option(
        None,
        "Model of keyphrases: default, or the path of a model (.json).",
        default_text="default, the embedded model",
        steps=("keyphrases",),
    )
    keyphrase_threshold: float | None = option(
        None,
        "Lowest score of a keyphrase.",
        minimum=0,
        maximum=1,
        default_text="that of the model",
        steps=("keyphrases",),
    )

    @classmethod
    def of(cls, **values: Any) -> Configuration:
        """A configuration from Python values: paths may be `Path` objects, and lists may be lists or `"a,b"`."""
        return cls(**{one.name: from_python(one, values[one.name]) for one in options_of(cls) if one.name in values})

    @property
    def existing_mentions(self) -> str:
        """What to do with chemical mentions of the input."""
        return self.existing or ("error" if "tag" in self.steps else "keep")

    @property
    def existing_terms(self) -> str:
        """What to do with index terms and keyphrases of the input."""
        return self.existing or "keep"

    @property
    def chosen_decision(self) -> str:
        """The decision about mentions: the given one, or the default for the tagger."""
        return self.decision or (default_decision(self.tagger) if "tag" in self.steps else KNOWLEDGE)

    def checked(self) -> Configuration:
        """The same configuration with defaults filled in and lists in a fixed order.

        Raises `OptionError` for a wrong value, `ConfigurationError` for an unknown tagger or rule.
        """
        from nlmchem.tagging.registry import split_names
        from nlmchem.tagging.rules.post_processing import PostProcessing

        check(self)
        PostProcessing.parse(self.rules)
        tagger = ",".join(split_names(self.tagger))
        arithmetic = chosen(self.arithmetic, self.device)
        dense = None if self.dense == OFF else self.dense
        self._check_tagging(dense)
        self._check_repair()
        check_used(self, self.steps)
        self._check_normalizing(dense)
        return replace(
            self,
            format=self.format or DEFAULT_FORMAT,
            tagger=tagger,
            # Without a neural tagger, all machines have the same configuration.
            arithmetic=arithmetic if "tag" in self.steps and tagger != LEXICON else FLOAT32,
            steps=tuple(step for step in STEPS if step in self.steps),
            sieves=_checked_sieves(self.sieves),
            repair_types=tuple(sorted(set(self.repair_types) or {CHEMICAL})) if "repair" in self.steps else (),
            skip_sections=tuple(sorted({section.upper() for section in self.skip_sections})),
            # With the step index, None has one meaning for mentions and another for index terms.
            existing=self.existing if {"index", "keyphrases"} & set(self.steps) else self.existing_mentions,
            decision=_checked_decision(self.chosen_decision),
            dictionary=None if self.dictionary is None else str(Path(self.dictionary).absolute()),
            dense=_absolute(dense),
            indexer=_absolute(self.indexer),
            keyphrase_model=_absolute(self.keyphrase_model),
        )

    def _check_tagging(self, dense: str | None) -> None:
        from corpora.model.sections import SECTIONS

        if re.fullmatch(r"cpu|cuda(:\d+)?", self.device) is None:
            raise OptionError("device", f"must be cpu, cuda or cuda:N, not {self.device!r}")
        unknown = sorted({section.upper() for section in self.skip_sections} - SECTIONS)
        if unknown:
            raise OptionError(
                "skip_sections", f"contains {unknown[0]!r}; the sections are {', '.join(sorted(SECTIONS))}"
            )
        of_models = {
            "guidelines": self.guidelines is not None,
            "min_score": self.min_score > 0,
            "rules": self.rules != "default",
            "arithmetic": self.arithmetic == INT8,
            # The dense fallback runs on the same device.
            "device": self.device != "cpu" and dense is None,
        }
        for name, given in of_models.items():
            if given and "tag" in self.steps and self.tagger.strip() == LEXICON:
                raise OptionError(name, "has no effect with the lexicon tagger; leave it out, or choose another tagger")
        if of_models["device"] and "tag" not in self.steps:
            raise OptionError("device", "has no effect without a model: neither the step tag nor a dense encoder runs")
        if self.explain and self.chosen_decision == RULES:
            raise OptionError("explain", f"has no effect with the decision {RULES}, which gives no reasons")

    def _check_repair(self) -> None:
        if "repair" not in self.steps:
            return
        if "tag" in self.steps:
            raise OptionError(
                "steps",
                "contains tag and repair, but repair corrects the mentions of another tagger; leave one of the two out",
            )
        if self.decision == RULES and self.rules == "none":
            raise OptionError("rules", "and the decision leave nothing to repair; choose some rules")
        if self.existing == "error":
            raise OptionError("existing", "cannot be error with the step repair, which needs mentions in the input")
        if self.decision not in (None, KNOWLEDGE, RULES):
            raise OptionError(
                "decision",
                f"must be {KNOWLEDGE} or {RULES} with the step repair, because a learnt decision needs the "
                "probabilities of a model",
            )

    def _check_normalizing(self, dense: str | None) -> None:
        if dense is None and self.dense_threshold is not None:
            raise OptionError(
                "dense_threshold", "has no effect without a dense encoder; choose one, for example default"
            )

    def fingerprint(self, resources: dict[str, str]) -> dict[str, Any]:
        """The values that must be equal for two runs to share an output folder.

        `resources` are names and hashes of lexicons and models: a file is compared by its content, not by its path.
        """
        values = {**asdict(self), "version": version("nlmchem"), "resources": resources}
        for by_content in ("dictionary", "lexicon", "tagger", "decision", "dense", "indexer", "keyphrase_model"):
            del values[by_content]
        text = json.dumps(values, sort_keys=True)
        # Converted to JSON and back, because it is compared with JSON that another run has written.
        return {**json.loads(text), "sha256": hashlib.sha256(text.encode()).hexdigest()}


def default_decision(tagger: str) -> str:
    """The decision after a tagger. The learnt one was trained with the probabilities of the embedded tagger."""
    return LEARNT if tagger.strip() == DEFAULT else KNOWLEDGE


def _checked_sieves(names: Sequence[str]) -> tuple[str, ...]:
    if not names:
        return ()
    from sieves.registry import DEFAULT_ORDER, checked_order

    try:
        order = checked_order(names)
    except ConfigurationError as error:
        raise OptionError("sieves", f"cannot be used: {error}") from None
    return () if order == DEFAULT_ORDER else order


def _checked_decision(name: str) -> str:
    if name in (KNOWLEDGE, LEARNT, RULES):
        return name
    if Path(name).suffix != ".json":
        names = f"{KNOWLEDGE}, {LEARNT}, {RULES}"
        raise OptionError("decision", f"must be {names} or the path of a model (.json), not {name!r}")
    return str(Path(name).absolute())


def _absolute(name: str | None) -> str | None:
    """An absolute path, so that replays and workers in other folders find it; names of built-in models unchanged."""
    is_path = name is not None and (Path(name).suffix or "/" in name or Path(name).is_dir())
    return str(Path(str(name)).absolute()) if is_path else name
