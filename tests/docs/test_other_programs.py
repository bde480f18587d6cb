"""Flags and commands of other programs, and mistakes, get one sentence that names what works."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command_line import exit_code
from command_tree import commands, flags_of
from first_hour import FAST, Nlmchem, refused, result
from rapidfuzz.distance import OSA

from nlmchem.cli.app import program
from nlmchem.cli.remedies import FOREIGN, LETTERS_PER_MISTAKE, WORDS, close

NAMES = list(dict.fromkeys(name for foreign in FOREIGN for name in foreign.names))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "command", ["annotate", "convert", "view", "evaluate spans", "lexicon lookup", "ensemble vote"]
)
def test_a_flag_of_another_program_names_what_works(nlmchem: Nlmchem, name: str, command: str) -> None:
    if name in flags_of(command):
        pytest.skip("the command has it")
    sentence = refused(nlmchem(*command.split(), "articles", name))
    begin = f"`nlmchem {command}` has no option {name}; "
    assert sentence.startswith(begin)
    remedy = sentence.removeprefix(begin)
    if remedy.startswith("use -"):
        assert set(re.findall(r"(?<= )--[a-z-]+", remedy)) <= flags_of(command)
    if command == "annotate":
        assert "lists its options" not in remedy
        assert "did you mean" not in remedy
    for words in re.findall(r"`nlmchem ([a-z ]+[a-z])", remedy):
        assert "Usage: nlmchem" in result(nlmchem(*words.split(), "--help"))


@pytest.mark.parametrize(("right", "word"), [(right, word) for right, words in WORDS.items() for word in words])
def test_a_command_of_another_program_names_what_works(nlmchem: Nlmchem, right: str, word: str) -> None:
    assert word not in program().list_commands(None)  # type: ignore[arg-type]
    assert refused(nlmchem(word, "x")) == f"`nlmchem` has no command {word!r}; use `nlmchem {right}`"
    command = right.partition(" --")[0].removeprefix("--version")
    assert "Usage: nlmchem" in result(nlmchem(*command.split(), "--help"))


@pytest.mark.parametrize("word", ["migrate", "stats", "info", "spans", "lookup"])
def test_a_word_of_a_group_is_found_without_the_group(nlmchem: Nlmchem, word: str) -> None:
    where = [name for name in commands() if name.endswith(f" {word}")]
    assert where
    meant = " or ".join(f"`nlmchem {name}`" for name in where)
    assert refused(nlmchem(word, "x")) == f"`nlmchem` has no command {word!r}; did you mean {meant}?"


@pytest.mark.parametrize("name", sorted(commands()))
def test_one_mistake_behind_the_first_letter_of_a_flag_is_understood(name: str) -> None:
    """No suggestion is another flag, and nearly all mistakes get one."""
    flags = [flag for flag in flags_of(name) if flag.startswith("--")]
    # `--ste` may be the beginning of `--steps`.
    for flag in (flag for flag in flags if len(flag) > len("--") + LETTERS_PER_MISTAKE):
        bare = flag[2:]
        for at in range(1, len(bare) - 1):
            for typed in (bare[:at] + bare[at + 1 :], bare[:at] + bare[at + 1] + bare[at] + bare[at + 2 :]):
                meant = close(f"--{typed}", flags)
                # `taggesr` is as near to `--tagger` as to `--taggers`, and `replayd` to `--replay` as to `--replayed`.
                if f"--{typed}" not in flags:
                    assert meant == flag or OSA.distance(f"--{typed}", str(meant)) == 1


@pytest.mark.parametrize(
    ("typed", "known"),
    [
        ("migrate", "curate"), ("version", "verify"), ("--limit", "--timeout"), ("--open", "--json"),
        ("--exclude-sections", "--exclude-retracted"), ("--tsv", "--sieves"), ("--format", "--report"),
        ("--start", "--restart"), ("--dates", "--fates"), ("parse", "pairs"), ("pmc", "mcp"), ("man", "mean"),
    ],
)  # fmt: skip
def test_another_word_is_no_mistake(typed: str, known: str) -> None:
    """A wrong suggestion is worse than none."""
    assert close(typed, [known]) is None


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("annotate", "a", "--taggr", "b"), "`nlmchem annotate` has no option --taggr; did you mean --tagger?"),
        (("annotate", "a", "-j4"), "`nlmchem annotate` has no option -j; use --workers N"),
        (("annotate", "a", "--zzz"), "`nlmchem annotate` has no option --zzz; "
         "`nlmchem annotate --help-all` lists its options"),
        (("lexicon", "aspirin", "--jobs", "2"),
         "`nlmchem lexicon lookup` has no option --jobs; leave it out: it has no worker processes"),
        (("-v",), "`nlmchem` has no option -v; progress and notes are printed by default, and --quiet leaves them out; "
         "`nlmchem --debug ...` shows the traceback of an error"),
        (("annotat",), "`nlmchem` has no command 'annotat'; did you mean `nlmchem annotate`?"),
        (("zzz",), "`nlmchem` has no command 'zzz'; `nlmchem --help` lists the commands"),
        (("train", "taggr"), "`nlmchem train` has no command 'taggr'; did you mean `nlmchem train tagger`?"),
        (("annotate", "Aspirin and NO."),
         "no file or folder at Aspirin and NO.; check the path, or give a text with --text"),
        (("annotate", "Aspirin", "-o", "x"),
         "no file or folder at Aspirin; check the path, or give a text with --text"),
        (("annotate", "a.xml", "-o", "x"), "no file or folder at a.xml; check the path"),
        (("annotate", "PMC6267922", "-o", "x"), "no file or folder at PMC6267922, which is the id of an article; "
         "fetch it with `nlmchem fetch pmc --ids FILE`, where FILE has the id in a line"),
        (("convert", "pmid:123", "x.json"), "no file or folder at pmid:123, which is the id of an article; "
         "fetch it with `nlmchem fetch pmc --ids FILE`, where FILE has the id in a line"),
    ],
)  # fmt: skip
def test_a_wrong_word_names_what_works(nlmchem: Nlmchem, arguments: tuple[str, ...], sentence: str) -> None:
    assert refused(nlmchem(*arguments)) == sentence
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("line", ["--debug", "train --help-all"])
def test_what_click_refuses_is_one_sentence(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(*line.split()) == 2
    *_, sentence = capsys.readouterr().err.splitlines()
    assert sentence.startswith("nlmchem: ")
    assert sentence.endswith(("`nlmchem --help` shows what works", "`nlmchem train --help` lists its options"))


@pytest.mark.parametrize("words", ["", "annotate", "train", "train tagger"])
def test_help_is_a_word_too(nlmchem: Nlmchem, words: str) -> None:
    assert result(nlmchem("help", *words.split())) == result(nlmchem(*words.split(), "--help"))


def test_one_of_a_thing_is_singular(nlmchem: Nlmchem) -> None:
    Path("a.txt").write_text("Zinc.", "utf-8")
    printed = result(nlmchem("annotate", "a.txt", "-o", "x", *FAST))
    assert printed.startswith("done 1 + failed 0 + skipped 0 = 1 article; ")
    assert "1 mention; results in x" in printed


def test_identifiers_with_and_without_prefix_are_one(nlmchem: Nlmchem) -> None:
    for name, identifier in (("gold.json", "MESH:D005947"), ("run.json", "D005947")):
        document = {
            "id": "1",
            "passages": [{"offset": 0, "text": "Glucose", "annotations": [
                {"id": "1", "text": "Glucose", "infons": {"type": "Chemical", "identifier": identifier},
                 "locations": [{"offset": 0, "length": 7}]},
            ]}],
        }  # fmt: skip
        Path(name).write_text(json.dumps({"documents": [document]}), "utf-8")
    done = nlmchem("evaluate", "identifiers", "gold.json", "run.json", "--samples", 0, "--json")
    assert json.loads(result(done))["strict"]["f1"] == 1
    note = "run: 1 identifier without the prefix MESH:, read as with it: D005947 as MESH:D005947"
    assert done.stderr == f"nlmchem: {note}\n"


MISTAKES = [
    (
        ("annotate", "--text", "a", "b.txt"),
        "articles are named, and a text is given with --text; leave out one",
    ),
    (("annotate", "--text", "a", "-o", "b.json"), "--out cannot be used with --text, which prints a table of one text"),
    (("annotate", "--text", "a", "--format", "brat"), "--format is brat, which is not printed; for a file, pipe the"),
    (("annotate", "--text", "a", "--workers", 2), "--workers cannot be used with --text"),
    (("annotate", "--text", "a", "--runs"), "--runs cannot be used with --text"),
    (
        ("submit", "--task", "indexing", "--team", 1, "--run", 1, "-o", "x"),
        "the argument ARTICLES is missing: The articles of the challenge; with --reference, these articles as you have",
    ),
    (("annotate",), "name the articles (files, folders, - for standard input), or give a --text"),
    (("annotate", "."), "--out must be given: a folder, a file such as all.json, or - for standard output"),
    (("convert", "."), "--out must be given: the output, by its place or by the flag"),
    (("convert", ".", "a.json", "-o", "b.json"), "--out is given twice: a.json and b.json; leave out one of them"),
    (("index", "nowhere"), "no file or folder at nowhere; check the path"),
    (("evaluate", "nowhere", "other"), "no file or folder at nowhere; check the path"),
    (("ensemble", "nowhere", "other", "-o", "c"), "no file or folder at nowhere; check the path"),
    (("corpora", "stats", "nowhere"), "no file or folder at nowhere; check the path"),
    (("corpora", "stats", "bc5cdr"), "bc5cdr is a corpus; name its folder: `nlmchem corpora stats bc5cdr FOLDER`"),
]


@pytest.mark.parametrize(("arguments", "sentence"), MISTAKES, ids=[" ".join(map(str, one)) for one, _ in MISTAKES])
def test_a_mistake_gets_one_sentence(nlmchem: Nlmchem, arguments: tuple[str, ...], sentence: str) -> None:
    done = nlmchem(*arguments)
    message = done.stderr.splitlines()
    # The head of a table may be printed before an input is opened.
    assert (done.returncode, len(message)) == (2, 1), done
    assert message[0].startswith(f"nlmchem: {sentence}"), message
    assert list(Path().iterdir()) == []
