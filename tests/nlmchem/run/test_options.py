"""Options are stated once, in dataclasses: commands, `nlmchem.load` and the configuration file follow them."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import json
import pickle
import pkgutil
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import invoke
from companion_cases import cases

import corpora
import ensemble
import indexing
import nlmchem
import sieves
from corpora.commands.command import bound
from corpora.commands.options import check, from_text, option, options_of, value_of
from corpora.errors import ConfigurationError, OptionError
from nlmchem.api.commands import ANNOTATE
from nlmchem.bench.commands import BenchOptions
from nlmchem.cli.app import read_config_file
from nlmchem.cli.parameters import given_values
from nlmchem.run.options import FileOptions, RunOptions, Shard
from nlmchem.run.plan import Configuration, Plan, differences
from nlmchem.run.registry import RESERVED, STEPS, fault_of, steps_with
from nlmchem.steps.tag import TagOptions

OF_FILES = {"format", *(one.name for one in options_of(FileOptions))}
"""Options of files, which no step has."""
OPTIONS = {one.name: one for kind in (Configuration, RunOptions) for one in options_of(kind)}


# -- options and steps --------------------------------------------------------------------------

GIVEN: dict[str, Any] = {
    "tagger": "lexicon", "arithmetic": "int8", "device": "cuda", "guidelines": "bc5cdr", "min_score": 0.5,
    "target_precision": 0.9, "labels": ("O", "B-Chemical", "I-Chemical"),
    "rules": "none", "decision": "rules", "repair_types": ("drug",), "explain": True, "lexicon": "starter",
    "as_of": 2021, "names": ("my.tsv",), "xrefs": True,
    "sieves": ("exact",), "skip_sections": ("REF",), "existing": "replace", "dense": "default",
    "dense_threshold": 0.9, "indexer": "rules", "index_threshold": 0.1, "index_top": 5, **cases("OPTIONS"),
}  # fmt: skip
"""A value of each option that a step uses, other than its default."""


def test_the_table_has_each_option_of_the_steps() -> None:
    assert set(GIVEN) == {one.name for one in options_of(Configuration)} - {"steps", *OF_FILES}


NOT_IMPORTED = ("_kernel", "spacy_component", "__main__")
"""A module of compiled code, one that needs spaCy, and one that runs the command line."""


def option_dataclasses() -> Iterator[Any]:
    """All dataclasses with options, without those of the command line."""
    for package in (corpora, sieves, indexing, ensemble, nlmchem):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not found.name.startswith("nlmchem.cli.") and found.name.rpartition(".")[2] not in NOT_IMPORTED:
                kinds = vars(importlib.import_module(found.name)).values()
                yield from (kind for kind in kinds if isinstance(kind, type) and has_options(kind, found.name))


def has_options(kind: Any, module: str) -> bool:
    if kind.__module__ != module or not dataclasses.is_dataclass(kind):
        return False
    return any("option" in field.metadata for field in dataclasses.fields(kind))


SEVERAL_MEANINGS = {
    "articles", "base", "corpus", "decision", "device", "dictionary", "folder", "folds", "format", "gold",
    "guidelines", "inputs", "leave_out", "lexicon", "mention", "minutes", "name", "names", "out", "precision",
    "rate", "restart", "rules", "runs", "samples", "seed", "source", "steps", "tagger", "task", "threshold",
    "to", "type", "workers",
}  # fmt: skip
"""Names that mean another thing in another command, as `gold` or `rate`. A name that is not listed has one statement,
which commands and steps share. Companions add names."""


def test_an_option_is_stated_once() -> None:
    """Two dataclasses have the same option only by sharing a class: with one type, one default and one help text."""
    stated: dict[str, Any] = {}
    several = set()
    kinds = list(option_dataclasses())
    assert {RunOptions, BenchOptions, Configuration, TagOptions} <= set(kinds)
    for kind in kinds:
        for one in options_of(kind):
            first = stated.setdefault(one.name, one)
            if dataclasses.replace(one, groups=()) != dataclasses.replace(first, groups=()):
                several.add(one.name)
    assert SEVERAL_MEANINGS <= several <= {*SEVERAL_MEANINGS, *cases("SEVERAL_MEANINGS")}


def test_options_that_steps_share_are_stated_once() -> None:
    """Also where commands have other options of these names."""
    stated: dict[str, Any] = {}
    for kind in (*(step.options for step in STEPS.values()), BenchOptions, RunOptions):
        for one in options_of(kind):
            assert stated.setdefault(one.name, one) == one, kind


def test_options_of_steps_have_names_of_their_own() -> None:
    """The rules for plugins hold for the steps of nlmchem."""
    steps = list(STEPS.values())
    for at, step in enumerate(steps):
        assert fault_of(step, steps[:at]) is None


def test_no_option_of_a_plugin_can_have_a_name_of_a_run() -> None:
    of_steps = {one.name for step in STEPS.values() for one in options_of(step.options)}
    assert {one.name for one in options_of(ANNOTATE.options)} - of_steps <= RESERVED
    assert {one.name for one in options_of(RunOptions)} <= RESERVED
    fingerprint = Configuration.of(tagger="lexicon").parse().fingerprint()
    assert {*fingerprint, *fingerprint["steps"]["tag"]} <= RESERVED


def test_two_steps_keep_their_own_values_of_one_option() -> None:
    """`existing` is an error in `tag` and `keep` in `normalize`; before, one value stood for both."""
    steps = Configuration.of(tagger="lexicon").parse().fingerprint()["steps"]
    assert [steps[name]["options"]["existing"] for name in ("tag", "normalize", "index")] == ["error", "keep", "keep"]


def test_a_fingerprint_names_what_differs() -> None:
    plain = Configuration.of(tagger="lexicon")
    changed = plain.but(index_top=5, format="tsv", lexicon="starter")
    before, now = (one.parse().fingerprint() for one in (plain, changed))
    assert differences(before, now) == ["MeSH", "format", "index_top", "indexer", "lexicon or names"]
    assert differences(before, plain.but(steps=("tag",)).parse().fingerprint()) == ["steps"]
    assert differences({"steps": ["tag"]}, now) == [
        "format", "lines", "plugins", "steps", "version", "with_abbreviations",
    ]  # fmt: skip


@pytest.mark.parametrize("step", [*STEPS, None])
@pytest.mark.parametrize("name", list(GIVEN))
def test_an_option_that_no_step_uses_is_refused(name: str, step: str | None) -> None:
    steps = () if step is None else (step,)
    more = {"dense": "default"} if name in ("dense_threshold", "device") and step == "normalize" else {}
    configuration = Configuration.of(**{"steps": steps, name: GIVEN[name], **more})
    if step in steps_with(name):
        assert configuration.parse()
    else:
        wanted = " or ".join(steps_with(name))
        with pytest.raises(OptionError, match=rf"^{name} needs the step {wanted}; add it to the steps, or leave"):
            configuration.parse()


@pytest.mark.parametrize("steps", [(), *((step,) for step in STEPS)])
def test_a_plan_is_the_same_after_json_and_between_processes(steps: tuple[str, ...]) -> None:
    plan = Configuration.of(
        steps=steps, existing="replace" if set(steps) & set(steps_with("existing")) else None
    ).parse()
    assert Plan.from_json(json.loads(json.dumps(plan.as_json()))) == plan
    assert pickle.loads(pickle.dumps(plan)) == plan


def test_a_plan_of_a_step_that_is_not_installed_is_refused() -> None:
    with pytest.raises(OptionError, match="steps contains 'translate', which no installed package has"):
        Plan.from_json({"format": "biocxml", "lines": False, "steps": {"translate": {}}})


@pytest.mark.parametrize("stored", [{}, {"steps": None}, {"steps": ["tag"]}, {"steps": {"tag": 1}}])
def test_a_stored_plan_of_another_form_is_refused(stored: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="the stored options of the run are damaged"):
        Plan.from_json(stored)


def test_an_option_of_two_steps_can_have_another_meaning_in_each() -> None:
    """Without `existing`, mentions of the input are an error and index terms of the input stay."""
    by_step = dict(Configuration().parse().steps)
    assert (by_step["tag"].existing, by_step["index"].existing) == ("error", "keep")


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"steps": ("normalize",), "device": "cuda"}, "device has no effect without a model"),
        ({"decision": "rules", "explain": True}, "explain has no effect with the decision rules"),
    ],
)
def test_an_option_without_effect_is_refused(values: dict[str, Any], problem: str) -> None:
    with pytest.raises(OptionError, match=problem):
        Configuration.of(**values).parse()


# -- the command line ---------------------------------------------------------------------------


def test_the_command_has_all_options_with_their_help() -> None:
    result = invoke(["annotate", "--help-all"])
    printed = " ".join(result.stdout.split())
    for one in OPTIONS.values():
        assert one.flag in printed
        assert " ".join(one.help.split()[:6]) in printed


def test_defaults_on_the_command_line_give_the_defaults_of_the_dataclass() -> None:
    options = bound(ANNOTATE, given_values(ANNOTATE, dict.fromkeys(OPTIONS)))
    for one in options_of(ANNOTATE.options):
        assert value_of(options, one) == one.default


@pytest.mark.parametrize("one", OPTIONS.values(), ids=list(OPTIONS))
def test_each_option_has_a_help_text_that_is_a_sentence(one: Any) -> None:
    assert one.help[0].isupper()
    assert one.help.endswith(".")


def test_lists_are_written_with_commas() -> None:
    steps = OPTIONS["steps"]
    assert from_text(steps, "tag, normalize,") == ("tag", "normalize")
    assert Configuration.of(steps="tag", lexicon=Path("x")) == Configuration.of(steps=("tag",), lexicon="x")


def test_check_refuses_wrong_types_numbers_and_choices() -> None:
    from dataclasses import dataclass

    @dataclass
    class Numbers:
        share: float | None = option(None, "A share.", minimum=0, maximum=1)
        number: int = option(1, "A number.", minimum=1)
        seeds: tuple[int, ...] = option((7,), "Seeds.")
        flag: bool = option(False, "A flag.")

    # Annotations are text here, and refer to no name of this function.
    check(Numbers(0.5, 2, (1, 2), True))
    for wrong, sentence in (
        (Numbers(1.5), "share must be a number from 0 to 1, not 1.5"),
        (Numbers(number=0), "number must be a number of 1 or more, not 0"),
        (Numbers(number=True), "number must be a whole number, not True"),
        (Numbers(number=2.5), "number must be a whole number, not 2.5"),  # type: ignore[arg-type]
        (Numbers(flag="yes"), "flag must be true or false, not 'yes'"),  # type: ignore[arg-type]
        (Numbers(seeds=3), "seeds must be a list, or text with commas, not 3"),  # type: ignore[arg-type]
        (Numbers(seeds=(1, True)), "seeds contains True; each item must be a whole number"),
    ):
        with pytest.raises(OptionError) as caught:
            check(wrong)
        assert str(caught.value) == sentence
    seeds = next(one for one in options_of(Numbers) if one.name == "seeds")
    assert from_text(seeds, "0,1, 2") == (0, 1, 2)
    with pytest.raises(OptionError, match="seeds must be whole numbers joined by commas, not 'three'"):
        from_text(seeds, "three")


# -- the configuration file ---------------------------------------------------------------------


def write(folder: Path, text: str) -> Path:
    path = folder / "run.toml"
    path.write_text(text, "utf-8")
    return path


def test_the_file_has_the_options_of_the_command(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        '[annotate]\nsteps = ["tag", "normalize"]\nmin-score = 1\nskip_sections = "REF"\nworkers = 4\nshard = "2/3"\n',
    )
    assert read_config_file(ANNOTATE, str(path)) == {
        "steps": ("tag", "normalize"), "min_score": 1, "skip_sections": ("REF",), "workers": 4, "shard": Shard(2, 3),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[annotate]\nmin-score = "high"\n', "run.toml: min-score must be a number, not 'high'"),
        ("[annotate]\nmin_score = 3\n", "run.toml: min_score must be a number from 0 to 1, not 3"),
        ('[annotate]\nformat = "word"\n', "run.toml: format must be biocxml, "),
        ("[annotate]\nworkers = 0\n", "run.toml: workers must be auto or a number of 1 or more, not '0'"),
        ("[annotate]\nstep = 1\n", "has the option 'step', which annotate does not have; did you mean steps?"),
        ("[annotate]\nbanana = 1\n", "has the option 'banana', which annotate does not have; remove it"),
        ("[annotate]\nrestart = true\n", "has the option 'restart', which annotate does not have; remove it"),
        ("[tag]\n", "has no table [annotate]; put the options into it"),
        ("[annotate", "is not TOML"),
    ],
)
def test_errors_in_the_file_are_one_sentence(text: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_config_file(ANNOTATE, str(write(tmp_path, text)))
    assert sentence in str(caught.value)


def test_a_folder_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read: Is a directory"):
        read_config_file(ANNOTATE, str(tmp_path))


def test_commands_take_options_objects_and_not_many_arguments() -> None:
    """No function of the command line has more than nine parameters, counted before the options are expanded."""
    import nlmchem.cli

    for found in pkgutil.walk_packages(nlmchem.cli.__path__, "nlmchem.cli."):
        module = importlib.import_module(found.name)
        for function in vars(module).values():
            if isinstance(function, types.FunctionType) and function.__module__ == module.__name__:
                plain = inspect.unwrap(function)
                assert plain.__code__.co_argcount <= 10, plain.__qualname__
