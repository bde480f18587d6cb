"""Training of encoders: synonyms, batches, loss, checkpoints and cards."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from tiny_transformer import write_tiny_transformer

from corpora.errors import ConfigurationError, ResourceError
from sieves.dense import training
from sieves.dense.encoders import BagEncoder, TransformerEncoder, encoder_version, open_encoder
from sieves.dense.fallback import open_fallback
from sieves.dense.training import (
    DenseSettings,
    TransformerSettings,
    batches,
    multi_similarity,
    recall,
    split,
    synonyms,
    train,
    train_transformer,
)
from sieves.lexicon.lexicon import Lexicon

SMALL = DenseSettings(buckets=512, width=16, concepts=8, steps=12, minutes=10, check_every=5, held_out=0.9)
TINY = TransformerSettings(concepts=4, steps=2, rate=1e-3, held_out=0.9)


def quiet(_: str) -> None:
    pass


# -- what is learnt from ------------------------------------------------------------------------


def test_synonyms_are_the_names_of_one_chemical_that_differ_by_more_than_case(lexicon: Lexicon) -> None:
    groups = synonyms(lexicon)
    assert any({"Ethanol", "Grain Spirit"} <= set(group) for group in groups)
    assert not any("Abattoirs" in group for group in groups)
    assert all(len(group) > 1 for group in groups)


def test_names_of_files_join_those_of_their_concept(lexicon: Lexicon, tmp_path: Path) -> None:
    (tmp_path / "names.tsv").write_text("D000002\tspirit of wine\nCHEBI:1\tone thing\nCHEBI:1\tother name\n", "utf-8")
    groups = synonyms(lexicon, [tmp_path / "names.tsv"])
    assert any({"spirit of wine", "Ethanol"} <= set(group) for group in groups)
    assert ("one thing", "other name") in groups


def test_a_lexicon_without_synonyms_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text("MESH:D000001\talcohols\t\n", "utf-8")
    with Lexicon.open(tmp_path / "x.tsv") as lexicon, pytest.raises(ResourceError, match="no concept has two names"):
        synonyms(lexicon)


def test_held_out_names_are_not_in_the_training() -> None:
    groups = [(f"a{n}", f"b{n}", f"c{n}") for n in range(200)] + [("x", "y")]
    training, held = split(groups, 0, 0.1)
    assert 5 < len(held) < 40
    assert all(name not in training[at] and len(training[at]) == 2 for at, name in held)
    assert training[-1] == ("x", "y")
    assert split(groups, 0, 0.1) == (training, held)
    assert split(groups, 0, 0.0)[1] == []
    with pytest.raises(ConfigurationError, match="held_out is"):
        split(groups, 0, 1.0)


def test_a_batch_holds_two_names_of_each_concept() -> None:
    groups = [(f"a{n}", f"b{n}", f"c{n}") for n in range(20)]
    names, labels = next(batches(groups, 6, 0))
    assert labels[::2] == labels[1::2]
    assert all(name in groups[at] for name, at in zip(names, labels, strict=True))
    assert len(set(names)) == len(names)


def test_the_loss_pulls_synonyms_together_and_pushes_others_apart() -> None:
    labels = torch.tensor([0, 0, 1, 1])
    apart = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    mixed = apart[[0, 2, 1, 3]]
    assert multi_similarity(apart, labels, 0.1) < multi_similarity(mixed, labels, 0.1)


def test_recall_counts_concepts_not_names() -> None:
    class Spelling:
        version = ""

        def encode(self, names):  # type: ignore[no-untyped-def]
            return np.array([[1.0, 0.0] if name.startswith("a") else [0.0, 1.0] for name in names], dtype=np.float32)

    groups = [("a1", "a2"), ("b1", "b2")]
    assert recall(Spelling(), groups, [(0, "a3"), (1, "a4")]) == {"recall_at_1": 0.5, "recall_at_5": 1.0}


# -- vectors of n-grams -------------------------------------------------------------------------


def test_the_same_steps_and_seed_give_the_same_weights(lexicon: Lexicon, tmp_path: Path) -> None:
    cards = [train(lexicon, tmp_path / name, SMALL, quiet) for name in ("a.safetensors", "b.safetensors")]
    assert cards[0]["sha256"] == cards[1]["sha256"] == encoder_version(str(tmp_path / "a.safetensors"))
    assert cards[0]["steps"] == 12
    other = train(lexicon, tmp_path / "c.safetensors", replace(SMALL, seed=1), quiet)
    assert other["sha256"] != cards[0]["sha256"]


def test_training_brings_synonyms_nearer_than_other_names(lexicon: Lexicon, tmp_path: Path) -> None:
    train(lexicon, tmp_path / "a.safetensors", replace(SMALL, steps=60, held_out=0.0), quiet)
    rows = BagEncoder.open(tmp_path / "a.safetensors").encode(["Ethanol", "Grain Spirit", "Vitamin C"])
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.3


def test_the_card_has_the_sources_and_the_recall(lexicon: Lexicon, tmp_path: Path) -> None:
    (tmp_path / "names.tsv").write_text("D000002\tspirit of wine\n", "utf-8")
    card = train(lexicon, tmp_path / "a.safetensors", SMALL, quiet, [tmp_path / "names.tsv"])
    assert card == json.loads((tmp_path / "a.json").read_text("utf-8"))
    assert card["trained_on"]["lexicon"] == lexicon.version
    assert list(card["trained_on"]["names"]) == ["names.tsv"]
    assert 0 <= card["recall_at_1"] <= card["recall_at_5"] <= 1
    assert card["held_out_names"] > 0


def test_a_killed_training_continues_only_with_the_same_options(lexicon: Lexicon, tmp_path: Path) -> None:
    class Killed(Exception):
        pass

    def kill(sentence: str) -> None:
        if sentence.startswith("step 10"):
            raise Killed

    out = tmp_path / "a.safetensors"
    with pytest.raises(Killed):
        train(lexicon, out, SMALL, kill)
    assert (tmp_path / "a.checkpoint").exists()
    with pytest.raises(ConfigurationError, match="to a training with other options"):
        train(lexicon, out, replace(SMALL, width=8), quiet)
    messages: list[str] = []
    card = train(lexicon, out, SMALL, messages.append)
    assert (card["steps"], any("continuing from step 5" in line for line in messages)) == (12, True)
    assert not (tmp_path / "a.checkpoint").exists()


def test_a_broken_checkpoint_is_refused(lexicon: Lexicon, tmp_path: Path) -> None:
    (tmp_path / "a.checkpoint").write_bytes(b"nothing")
    with pytest.raises(ConfigurationError, match="is broken"):
        train(lexicon, tmp_path / "a.safetensors", SMALL, quiet)


def test_a_file_of_the_user_in_place_of_the_card_stays(lexicon: Lexicon, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"notes": "years of work"}')
    with pytest.raises(ConfigurationError, match=r"a\.json was not written by nlmchem"):
        train(lexicon, tmp_path / "a.safetensors", SMALL, quiet)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json"]


# -- transformers -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random tiny BERT that reads letters."""
    return write_tiny_transformer(tmp_path_factory.mktemp("base"))


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without CUDA")
def test_a_missing_device_is_one_sentence(lexicon: Lexicon, base: Path, tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="no CUDA device found; use device="):
        train_transformer(lexicon, base, tmp_path / "out", replace(TINY, device="cuda"), quiet)


def test_a_trained_transformer_is_an_encoder(lexicon: Lexicon, mesh: Path, base: Path, tmp_path: Path) -> None:
    before = encoder_version(str(base))
    card = train_transformer(lexicon, base, tmp_path / "out", TINY, quiet)
    assert card == json.loads((tmp_path / "out" / "card.json").read_text("utf-8"))
    assert (card["steps"], card["base"], encoder_version(str(base))) == (2, before, before)
    assert card["version"] == encoder_version(str(tmp_path / "out")) != before
    assert not list((tmp_path / "out").glob("*.bin"))
    with Lexicon.open(mesh) as opened:
        (candidate,) = open_fallback(opened, mesh, str(tmp_path / "out")).nearest("Grain Spirit", 1)
    # Next to nothing was learnt, and all names lie close together.
    assert candidate.score is not None
    assert candidate.score > 0.95


def test_training_a_transformer_lowers_the_loss(lexicon: Lexicon, base: Path, tmp_path: Path) -> None:
    messages: list[str] = []
    train_transformer(lexicon, base, tmp_path / "out", replace(TINY, steps=40, check_every=20), messages.append)
    losses = [float(line.rpartition(" ")[2]) for line in messages if line.startswith("step")]
    assert losses[-1] < losses[0]


def test_the_vector_of_a_name_does_not_depend_on_its_batch(base: Path) -> None:
    encoder = open_encoder(str(base))
    assert isinstance(encoder, TransformerEncoder)
    names = [f"name {number} of a chemical" for number in range(70)]
    rows = encoder.encode(names)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert all((encoder.encode([name])[0] == row).all() for name, row in zip(names[::9], rows[::9], strict=True))
    assert encoder.encode([]).shape == (0, 32)


def test_an_existing_folder_is_not_overwritten(lexicon: Lexicon, base: Path) -> None:
    with pytest.raises(ConfigurationError, match="is not empty"):
        train_transformer(lexicon, base, base, TINY, quiet)


def test_a_training_that_fails_leaves_no_folder(
    lexicon: Lexicon, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise MemoryError

    monkeypatch.setattr(training, "recall", fail)
    with pytest.raises(MemoryError):
        train_transformer(lexicon, base, tmp_path / "out", TINY, quiet)
    assert not list(tmp_path.iterdir())
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ConfigurationError, match="is a file"):
        train_transformer(lexicon, base, tmp_path / "file", TINY, quiet)


def test_a_folder_without_a_model_is_refused(lexicon: Lexicon, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ResourceError, match="no model in"):
        train_transformer(lexicon, tmp_path / "empty", tmp_path / "out", TINY, quiet)


def test_bfloat16_products_train_as_well(lexicon: Lexicon, base: Path, tmp_path: Path) -> None:
    card = train_transformer(lexicon, base, tmp_path / "out", replace(TINY, bfloat16=True), quiet)
    assert card["settings"]["bfloat16"]
    assert np.isfinite(open_encoder(str(tmp_path / "out")).encode(["ethanol"])).all()


def test_the_same_seed_gives_the_same_encoder_also_of_a_base_without_all_layers(
    lexicon: Lexicon, base: Path, tmp_path: Path
) -> None:
    """A tagger has no pooler; it gets random weights of the seed."""
    from safetensors.torch import load_file, save_file

    part = tmp_path / "base"
    shutil.copytree(base, part)
    tensors = load_file(part / "model.safetensors")
    save_file({name: row for name, row in tensors.items() if "pooler" not in name}, part / "model.safetensors")
    cards = [train_transformer(lexicon, part, tmp_path / name, TINY, quiet) for name in ("one", "two")]
    assert cards[0] == cards[1]


def test_special_pieces_are_added_where_the_tokenizer_adds_none(base: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    shutil.copytree(base, plain)
    settings = json.loads((plain / "tokenizer.json").read_text("utf-8"))
    (plain / "tokenizer.json").write_text(json.dumps({**settings, "post_processor": None}), "utf-8")
    names = ["ethanol", "grain spirit", ""]
    assert (open_encoder(str(plain)).encode(names) == open_encoder(str(base)).encode(names)).all()
