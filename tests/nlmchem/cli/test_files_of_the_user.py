"""Every command that writes: a file of the user is there, and another command works at the same place."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from command_tree import commands
from companion_cases import cases

from corpora.commands.command import Command
from corpora.commands.options import FILE, options_of
from corpora.errors import ConfigurationError
from corpora.storage import owned_files
from nlmchem.commands.registry import COMMANDS

Nlmchem = Callable[..., tuple[int, str, str]]

ARGUMENTS: dict[str, tuple[str, ...]] = {
    "annotate": ("a",),
    "convert": ("a",),
    "view": ("a/all.json",),
    "summary": ("a/all.json",),
    "lexicon build": ("--desc", "a/all.json"),
    "lexicon migrate": ("a", "--to", "2026"),
    "lexicon export": (),
    "evaluate spans": ("a", "b"),
    "evaluate identifiers": ("a", "b"),
    "evaluate indexing": ("a", "b"),
    "ensemble vote": ("a", "b", "--restart"),
    "ensemble spans": ("a", "b", "--restart"),
    "ensemble identifiers": ("a", "b", "--restart"),
    "ensemble indexing": ("a", "b", "--restart"),
    "ensemble agreement": ("a", "b", "--restart"),
    "silver vote": ("a", "b", "--restart"),
    "silver build": ("a", "--taggers", "lexicon,default"),
    "corpora convert": ("bc5cdr", "a"),
    "corpora split": ("a",),
    "corpora dictionary": ("a",),
    "train tagger": ("--base", "a", "--corpus", "b"),
    "train decision": ("a",),
    "train dense": ("--steps", "1"),
    "train indexer": ("a", "--gold", "b"),
    "submit": ("a", "--task", "indexing", "--team", "9", "--run", "1"),
    "fetch": ("pmc", "--ids", "a/all.json"),
    **cases("WRITING"),
}
"""Arguments of each command that writes, without its output."""
READS_ONLY = {"doctor"}
FILES = ("annotate", "convert", "view", "summary", "lexicon build", "lexicon export", "corpora convert",
         "train decision", "train dense", "train indexer", "submit", *cases("WRITING_FILES"))  # fmt: skip
"""Commands whose output can be one file."""


def flag(name: str) -> str:
    return "--report" if name.startswith("evaluate") else "--out"


@pytest.fixture(autouse=True)
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for run in ("a", "b"):
        Path(run).mkdir()
        passages = [{"offset": 0, "text": "Rats were given glucose.", "annotations": []}]
        Path(run, "all.json").write_text(json.dumps({"documents": [{"id": "1", "passages": passages}]}))


@contextmanager
def another_command_in(path: Path) -> Iterator[int]:
    """Another process that works there. Yields its number."""
    code = "import sys; from pathlib import Path; from corpora.storage.locks import hold\n"
    code += "held = hold(Path(sys.argv[1])); print(bool(held), flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", code, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        yield process.pid
        process.kill()


def test_the_drills_have_all_commands_that_write() -> None:
    writing = {
        name
        for name, command in commands().items()
        if {parameter.name for parameter in command.params} & {"out", "target", "report"}
    }
    assert writing == set(ARGUMENTS) | READS_ONLY


def test_commands_that_write_one_file_have_the_option_to_replace_one_of_the_user() -> None:
    having = {
        name for name, command in commands().items() if "overwrite" in {parameter.name for parameter in command.params}
    }
    assert having == set(FILES)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_the_second_command_at_a_place_is_refused(name: str, run: Nlmchem, tmp_path: Path) -> None:
    out = Path("out.json" if name in FILES else "out")
    with another_command_in(tmp_path / ".out.json.run" if name == "annotate" else out) as process:
        code, _, told = run(*name.split(), *ARGUMENTS[name], flag(name), out)
    assert (code, told.count("\n")) == (2, 1), told
    assert f"another nlmchem command (process {process} on " in told
    assert not out.exists()


@pytest.mark.parametrize("name", ["convert", "annotate", "silver build"])
def test_the_second_command_in_a_folder_is_refused(name: str, run: Nlmchem) -> None:
    Path("out").mkdir()
    more = () if name == "silver build" else ("--format", "brat")
    with another_command_in(Path("out")):
        code, _, told = run(*name.split(), *ARGUMENTS[name], *more, "--out", "out")
    assert code == 2
    assert "another nlmchem command (process " in told


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_the_user_is_refused_before_any_work(name: str, run: Nlmchem) -> None:
    Path("out.json").write_text("years of work")
    code, _, told = run(*name.split(), *ARGUMENTS[name], "--out", "out.json")
    assert (code, told.count("\n")) == (2, 1), told
    assert "out.json was not written by nlmchem, or was changed since; name another file, or replace it with " in told
    assert "--overwrite" in told
    assert Path("out.json").read_text() == "years of work"
    assert sorted(path.name for path in Path().iterdir()) == ["a", "b", "out.json"]


# -- files that a command writes besides its output, such as `--page` ------------------------------


def _beside() -> list[tuple[str, str]]:
    return [
        (name, option.name)
        for name in COMMANDS.names()
        if isinstance(command := COMMANDS.get(name), Command)
        for option in options_of(command.options)
        if option.place == FILE and option.name not in ("out", "target", "report")
    ]


@pytest.fixture(params=_beside(), ids=" --".join)
def beside(request: pytest.FixtureRequest) -> tuple[list[str], str]:
    """A command with its output, and the flag of the other file that it writes."""
    name, option = request.param
    arguments = ["a/all.json" if word == "a" else word for word in ARGUMENTS[name]]
    return [*name.split(), *arguments, "--out", "out" if name not in FILES else "out.json"], f"--{option}"


def test_another_file_of_the_user_is_refused_before_any_work(beside: tuple[list[str], str], run: Nlmchem) -> None:
    Path("mine").write_text("years of work")
    code, _, told = run(*beside[0], beside[1], "mine")
    assert (code, told.count("\n")) == (2, 1), told
    assert "mine was not written by nlmchem, or was changed since" in told
    assert Path("mine").read_text() == "years of work"
    assert sorted(path.name for path in Path().iterdir()) == ["a", "b", "mine"]


@pytest.mark.parametrize("at", ["", "/below"])
def test_two_outputs_at_one_place_are_refused(beside: tuple[list[str], str], at: str, run: Nlmchem) -> None:
    place = f"./{beside[0][-1]}{at}"
    code, _, told = run(*beside[0], beside[1], place)
    assert (code, told) == (2, f"nlmchem: {beside[1]} is {Path(place)}, which is the place of another output "
                               f"({beside[0][-1]}); name a file beside it\n")  # fmt: skip
    assert sorted(path.name for path in Path().iterdir()) == ["a", "b"]


def test_an_input_is_not_replaced_by_another_file(beside: tuple[list[str], str], run: Nlmchem) -> None:
    """Also not with `--overwrite`: it is for old outputs."""
    before = Path("a/all.json").read_bytes()
    Path("link.json").symlink_to("a/all.json")
    more = () if beside[0][0] == "curate" else ("--overwrite",)
    for place in ("a/all.json", "link.json"):
        code, _, told = run(*beside[0], *more, beside[1], place)
        assert (code, f"{beside[1]} is {place}, which is one of the inputs" in told) == (2, True), told
    assert Path("a/all.json").read_bytes() == before


def test_another_command_with_the_same_other_file_is_refused(
    beside: tuple[list[str], str], run: Nlmchem, tmp_path: Path
) -> None:
    with another_command_in(tmp_path / "file") as process:
        code, _, told = run(*beside[0], beside[1], "file")
    assert (code, f"another nlmchem command (process {process} on " in told) == (2, True), told


def test_the_other_file_may_be_a_device_but_no_stream(beside: tuple[list[str], str], run: Nlmchem) -> None:
    os.mkfifo("pipe")
    assert (
        f"{beside[1]} is pipe, a named pipe that nobody reads; start its reader first"
        in run(*beside[0], beside[1], "pipe")[2]
    )
    assert "cannot be standard output; name a file" in run(*beside[0], beside[1], "-")[2]
    assert beside[1] not in run(*beside[0], beside[1], "/dev/null")[2]
    assert not Path("-").exists()


CASES: dict[str, tuple[tuple[str, ...], str]] = {
    "convert": (("convert", "a", "--out"), "out.json"),
    "annotate": (
        ("annotate", "a", "--tagger", "lexicon", "--lexicon", "starter", "--steps", "tag", "--out"),
        "out.xml",
    ),
    "view": (("view", "a/all.json", "--lexicon", "starter", "--out"), "out.html"),
    "summary": (("summary", "a/all.json", "--out"), "out.json"),
    **cases("REPLACING"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_file_of_ours_is_replaced_until_it_is_changed(name: str, run: Nlmchem) -> None:
    command, out = CASES[name]
    for _time in range(2):
        code, _, told = run(*command, out)
        assert code == 0, told
    content = Path(out).read_bytes()
    Path(out).write_bytes(content + b"corrected")
    assert run(*command, out)[0] == 2
    assert Path(out).read_bytes() == content + b"corrected"
    assert run(*command, out, "--overwrite")[0] == 0
    assert Path(out).read_bytes() == content
    assert sorted(path.name for path in Path().iterdir()) == ["a", "b", out]


READING_FOLDERS = {name: case for name, case in CASES.items() if "a" in case[0]}


@pytest.mark.parametrize("name", READING_FOLDERS)
def test_an_output_in_a_folder_of_the_inputs_is_not_read_the_second_time(name: str, run: Nlmchem) -> None:
    command, out = READING_FOLDERS[name]
    assert run(*command, f"a/{out}")[0] == 0
    content = Path("a", out).read_bytes()
    code, _, told = run(*command, f"a/{out}")
    assert (code, f"a/{out}" in told, told.count("\n")) == (2, True, 1), told
    assert Path("a", out).read_bytes() == content


def test_a_link_is_not_replaced_and_an_empty_file_is(run: Nlmchem) -> None:
    Path("mine.json").write_text("mine")
    Path("link.json").symlink_to("mine.json")
    assert run("convert", "a", "-o", "link.json")[0] == 2
    assert run("convert", "a", "-o", "link.json", "--overwrite")[0] == 0
    assert (Path("link.json").is_symlink(), Path("mine.json").read_text()) == (False, "mine")
    Path("new.json").touch()
    assert run("convert", "a", "-o", "new.json")[0] == 0


def test_a_device_is_written_to(run: Nlmchem) -> None:
    assert run("convert", "a/all.json", "-o", "/dev/null", "--format", "jsonl")[0] == 0


def test_a_named_pipe_is_written_if_somebody_reads_it(run: Nlmchem) -> None:
    """Without a reader, opening it would wait for ever."""
    command = ("convert", "a/all.json", "-o", "pipe.jsonl")
    os.mkfifo("pipe.jsonl")
    code, _, told = run(*command)
    assert (code, told) == (2, "nlmchem: --out is pipe.jsonl, a named pipe that nobody reads; start its reader first\n")
    with subprocess.Popen(["cat", "pipe.jsonl"], stdout=subprocess.PIPE) as reader:
        assert reader.stdout is not None
        # `cat` may not have opened it yet.
        assert 0 in (run(*command)[0] for _attempt in range(500))
        assert json.loads(reader.stdout.read())["id"] == "1"


def test_a_cache_that_cannot_be_written_makes_files_count_as_those_of_the_user(
    run: Nlmchem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NLMCHEM_HOME", "/dev/null/none")
    assert run("convert", "a", "-o", "out.json")[0] == 0
    code, _, told = run("convert", "a", "-o", "out.json")
    assert (code, "--overwrite" in told) == (2, True)


def test_the_record_does_not_grow_for_ever(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NLMCHEM_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(owned_files, "MAX_RECORD", 2000)
    for number in range(60):
        owned_files.write_text(Path(f"{number}.txt"), str(number))
    assert (tmp_path / "home" / "written-files").stat().st_size < 2400
    owned_files.check(Path("59.txt"))
    assert os.path.getsize("59.txt") == 2  # noqa: PTH202


def test_the_card_of_a_dense_model_does_not_replace_a_file_of_the_user(run: Nlmchem) -> None:
    Path("model.json").write_text("mine")
    code, _, told = run("train", "dense", "--steps", "1", "-o", "model.safetensors")
    assert (code, Path("model.json").read_text()) == (2, "mine")
    assert "model.json was not written by nlmchem" in told


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_file_that_appears_during_the_work_stays(overwrite: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work takes hours. Also with `--overwrite`: the user has not seen this file."""
    if overwrite:
        Path("out.txt").write_text("an old one")
    owned_files.check(Path("out.txt"), overwrite)

    def write() -> None:
        with owned_files.replacing(Path("out.txt")) as stream:
            stream.write(b"ours")
            Path("out.txt").write_text("mine, of now")

    with pytest.raises(ConfigurationError, match="was created or changed while the command worked, and is kept"):
        write()
    assert Path("out.txt").read_text() == "mine, of now"
    assert sorted(path.name for path in Path().iterdir()) == ["a", "b", "out.txt"]
