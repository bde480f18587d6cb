"""Commands as functions: the same options, defaults, checks and results as on the command line."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest
from command_line import invoke
from command_tree import commands as flags

import nlmchem.commands
from corpora.commands.command import Command
from corpora.commands.options import options_of
from corpora.errors import ConfigurationError, OptionError
from nlmchem.cli.parameters import given_values
from nlmchem.commands.functions import as_function, function_named, names, stub
from nlmchem.commands.registry import COMMANDS

ALL = {name: command for name in COMMANDS.names() if isinstance(command := COMMANDS.get(name), Command)}


@pytest.mark.parametrize("name", ALL)
def test_function_and_flags_have_the_same_options(name: str) -> None:
    command: Command[Any] = ALL[name]
    function = getattr(nlmchem.commands, command.function_name)
    options = {option.name: option for option in options_of(command.options)}
    assert set(inspect.signature(function).parameters) == set(options)
    parameters = {parameter.name: parameter for parameter in flags()[name].params}
    assert set(options) <= set(parameters)
    for option_name, option in options.items():
        expected = inspect.Parameter.empty if option.required else option.default
        assert inspect.signature(function).parameters[option_name].default == expected
        # What the command line does not give comes from the dataclass.
        assert not parameters[option_name].required
        assert " ".join(option.help.split()) in " ".join(function.__doc__.split())
    assert given_values(command, dict.fromkeys(options)) == {}


@pytest.mark.parametrize("name", ALL)
def test_a_command_that_needs_something_names_it_in_both(name: str) -> None:
    command: Command[Any] = ALL[name]
    required = [option for option in options_of(command.options) if option.required]
    if not required:
        pytest.skip("it needs nothing")
    first = next((option for option in required if not option.positional), None)
    if first is not None and all(not option.positional for option in required):
        with pytest.raises(TypeError, match=first.name):
            as_function(command)()
    result = invoke(name.split())
    assert isinstance(result.exception, OptionError | ConfigurationError)
    assert result.exit_code == 2


def test_a_function_returns_what_the_command_line_prints(tmp_path: Path) -> None:
    printed = [json.loads(line) for line in invoke(["lexicon", "lookup", "aspirin", "--json"]).stdout.splitlines()]
    result = nlmchem.commands.lexicon_lookup("aspirin")
    assert list(result.records()) == printed
    assert result.exit_code == 0
    missing = nlmchem.commands.lexicon_lookup(["no such name"])
    assert (list(missing.records()), missing.exit_code) == ([], 1)
    (problem,) = missing.problems
    assert invoke(["lexicon", "lookup", "no such name"]).stderr == f"nlmchem: {problem}\n"


def test_wrong_values_have_the_sentence_of_the_command_line() -> None:
    with pytest.raises(OptionError, match=r"samples must be a number of 0 or more, not -1"):
        nlmchem.commands.evaluate_spans("gold", ["run"], samples=-1)
    result = invoke(["evaluate", "spans", "gold", "run", "--samples", "-1"])
    assert str(result.exception) == "samples must be a number of 0 or more, not -1"
    with pytest.raises(TypeError, match="sample"):
        nlmchem.commands.evaluate_spans("gold", ["run"], sample=1)


def test_paths_and_lists_are_taken_as_python_has_them(tmp_path: Path) -> None:
    article = tmp_path / "a.txt"
    article.write_text("Title\nWe saw the endoplasmic reticulum (ER) of cells.\n")
    result = nlmchem.commands.abbreviations([article])
    assert [row["short_form"] for row in result.records()] == ["ER"]
    result = nlmchem.commands.convert(article, out=tmp_path / "a.json", workers=1)
    assert (result.exit_code, (tmp_path / "a.json").is_file()) == (0, True)


def test_an_unknown_command_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nlmchem has no command 'evaluate_span'; the commands are"):
        _ = nlmchem.commands.evaluate_span  # type: ignore[attr-defined]
    assert set(names()) == set(dir(nlmchem.commands))
    assert function_named("view") is function_named("view")


def test_the_stub_is_written_from_the_commands() -> None:
    place = Path(nlmchem.commands.__file__ or "").with_suffix(".pyi")
    assert place.read_text("utf-8").rstrip() == stub().rstrip(), "write it again: see nlmchem/commands/functions.py"


@pytest.mark.parametrize("command", ["annotate", "convert"])
def test_notes_go_to_the_result_and_to_the_logger(
    tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("Zinc and glucose.")
    (tmp_path / "in" / "b.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    given = (
        {"tagger": "lexicon", "lexicon": "starter", "steps": "tag"} if command == "annotate" else {"format": "jsonl"}
    )
    result = function_named(command)(str(tmp_path / "in"), out=str(tmp_path / "out"), **given)
    (note,) = result.notes
    assert note.startswith("1 file was skipped, because ")
    assert [(record.name, record.getMessage()) for record in caplog.records] == [("nlmchem", note)]
    assert (capsys.readouterr().out, capsys.readouterr().err) == ("", "")


def test_the_notes_of_a_result_are_logged_as_information(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "nlmchem"):
        result = nlmchem.commands.annotate(text="Nothing.", tagger="lexicon", lexicon="starter", steps="tag")
    assert result.notes == [record.getMessage() for record in caplog.records] == ["no chemical was found"]
