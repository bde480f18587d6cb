"""`nlmchem train encoder`: sentences come nearer to the long form that is meant, and a stopped training continues."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import call
from tiny_transformer import write_tiny_transformer

from corpora.datasets.acronyms import AcronymSample, AcronymSense
from corpora.errors import ConfigurationError
from corpora.reporting import ignore
from nlmchem.companions.senses.encoder_training import SentenceTraining, accuracy, train_sentences
from nlmchem.companions.senses.encoders import SentenceEncoder

QUICK = SentenceTraining(passes=6, rate=2e-3)
SENSES = (("zinc transport", "yeast"), ("quality index", "map"))


def sample(number: int) -> AcronymSample:
    """A sentence that names yeast or a map; the short form has a sense for each."""
    short, (long, word) = f"A{number // 4}", SENSES[number % 2]
    candidates = tuple(AcronymSense(name, 5 - at) for at, (name, _) in enumerate(SENSES))
    tokens = ("the", short, "of", "a", word, f"{number}")
    return AcronymSample(str(number), tokens, 1, short, long, candidates)


SAMPLES = [sample(number) for number in range(96)]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_transformer(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def trained(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("trained") / "out"
    train_sentences(SAMPLES, base, out, QUICK, ignore)
    return out


@pytest.fixture(scope="module")
def stopped(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a training that was stopped after its first step."""
    out = tmp_path_factory.mktemp("stopped") / "out"
    assert train_sentences(SAMPLES, base, out, QUICK, ignore, minutes=0) is None
    return out


def test_short_forms_that_were_not_trained_on_are_understood(base: Path, trained: Path) -> None:
    card = json.loads((trained / "card.json").read_text())
    assert card["accuracy_before"] < 0.7
    assert card["accuracy"] == 1.0
    assert card["accuracy_of_the_most_frequent"] == 0.5
    assert card["samples"] + card["held_out_samples"] == len(SAMPLES)
    assert accuracy(SentenceEncoder(trained), SAMPLES) > accuracy(SentenceEncoder(base), SAMPLES)
    assert not (trained / ".checkpoint").exists()


def test_a_training_that_was_stopped_continues_to_the_same_bytes(base: Path, trained: Path, tmp_path: Path) -> None:
    stops = 0
    while train_sentences(SAMPLES, base, tmp_path / "out", QUICK, ignore, minutes=0) is None:
        stops += 1
    assert stops == json.loads((trained / "card.json").read_text())["steps"] - 1
    for path in trained.iterdir():
        if not path.name.startswith("."):
            assert (tmp_path / "out" / path.name).read_bytes() == path.read_bytes(), path.name


def test_a_complete_training_is_not_repeated_and_another_one_is_refused(
    base: Path, trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "nlmchem.companions.senses.encoder_training._EncoderLearner", lambda *_: pytest.fail("trained again")
    )
    card = train_sentences(SAMPLES, base, trained, QUICK, ignore)
    assert card == json.loads((trained / "card.json").read_text())
    with pytest.raises(ConfigurationError, match="has a training on other samples or with other options"):
        train_sentences(SAMPLES, base, trained, replace(QUICK, seed=1), ignore)


def test_an_unfinished_training_is_not_continued_with_other_samples(base: Path, stopped: Path) -> None:
    with pytest.raises(ConfigurationError, match="has a training on other samples"):
        train_sentences(SAMPLES[:-1], base, stopped, QUICK, ignore)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("state.json", b'{"step": 1'),
        ("state.json", b"[]"),
        ("state.json", b"{}"),
        ("model.safetensors", b"cut off"),
        ("moments.safetensors", None),
    ],
)
def test_a_damaged_checkpoint_is_named(
    base: Path, stopped: Path, tmp_path: Path, name: str, content: bytes | None
) -> None:
    out = shutil.copytree(stopped, tmp_path / "out")
    file = out / ".checkpoint" / name
    file.unlink() if content is None else file.write_bytes(content)
    with pytest.raises(ConfigurationError) as raised:
        train_sentences(SAMPLES, base, out, QUICK, ignore)
    assert f"the checkpoint {out / '.checkpoint'} is broken" in str(raised.value)
    assert str(raised.value).endswith("; remove it and start the training anew")


def test_a_batch_of_more_samples_than_there_are_is_refused(base: Path, tmp_path: Path) -> None:
    settings = replace(QUICK, batch=1_000_000)
    with pytest.raises(ConfigurationError, match=r"batch is 1000000, but there are \d+ samples; give a smaller"):
        train_sentences([sample(number) for number in range(40)], base, tmp_path / "out", settings, ignore)
    assert not (tmp_path / "out").exists()


def test_short_forms_with_one_sense_teach_nothing(base: Path, tmp_path: Path) -> None:
    single = [replace(one, candidates=one.candidates[:1]) for one in SAMPLES]
    with pytest.raises(ConfigurationError, match="too few short forms with several long forms"):
        train_sentences(single, base, tmp_path / "out", QUICK, ignore)
    assert not (tmp_path / "out").exists()


def test_the_command_reads_what_corpora_dictionary_writes(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "acronyms"
    folder.mkdir()
    rows = [
        {"tokens": one.tokens, "index": 1, "short_term": one.short_form, "long_term": one.long_form} for one in SAMPLES
    ]
    (folder / "samples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    senses = [[name, 5 - at] for at, (name, _) in enumerate(SENSES)]
    (folder / "dictionary.json").write_text(json.dumps({one.short_form: senses for one in SAMPLES}))
    words = ("train", "encoder", folder, "--base", base, "-o", tmp_path / "out", "--passes", 3, "--rate", 2e-3)
    stopped = call(*words, "--minutes", 0.001, capsys=capsys)
    assert (stopped.returncode, "run the same command again to continue" in stopped.stderr) == (3, True), stopped.stderr
    done = call(*words, capsys=capsys)
    assert done.returncode == 0
    assert done.stdout.startswith(f"{tmp_path / 'out'}: ")
    assert "steps; the nearest long form is right in " in done.stdout
