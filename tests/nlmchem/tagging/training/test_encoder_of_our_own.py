"""Word pieces of our own and an encoder that is trained further on text, on tiny data."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from bioc import BioCDocument
from safetensors.numpy import load_file
from tokenizers import Tokenizer

import corpora
from benchmarks.retrain import pretraining, silver, sources, vocabulary
from corpora.model.passages import passage_text

LINES = (
    "Dichlorobenzene and trichlorobenzene were measured in water of the river.",
    "The concentration of dichlorobenzene fell, whereas that of chlorobenzene rose.",
    "Mice were given trichlorobenzene for two days; no effect of treatment was seen.",
)


@pytest.fixture
def data(tmp_path: Path, articles: list[BioCDocument], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of data with 40 unlabelled articles, one of which has a paragraph of a gold article."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setattr(sources, "GOLD", ("open",))
    corpora.write(articles[:1], folder / "own.jsonl", "jsonl")
    (folder / "nlmchem.jsonl.gz").write_bytes(gzip.compress((folder / "own.jsonl").read_bytes(), mtime=0))
    with lzma.open(folder / "text.jsonl.xz", "wt", encoding="utf-8") as stream:
        for number in range(40):
            lines = [LINES[(number + at) % 3] for at in range(30)]
            if number == 7:
                lines.append(passage_text(articles[0].passages[0]))
            stream.write(json.dumps({"id": f"PMC{number}", "text": "\n".join(lines)}) + "\n")
    # Two of the forty are kept aside.
    monkeypatch.setattr(sources, "is_kept_aside", lambda name: name in ("PMC3", "PMC4"))
    for module in (vocabulary, pretraining):
        monkeypatch.setattr(module, "is_kept_aside", sources.is_kept_aside)
    return folder


def made(make_model: Callable[..., Path], data: Path, tmp_path: Path, pieces: int = 150) -> tuple[Path, Path]:
    """A base model, and the one with pieces of our own that is made from it."""
    base, out = make_model("bert", labels=None), tmp_path / "own"
    given = ["--base", base, "--data", data, "--out", out, "--learn", "--pieces", pieces, "--articles", 2]
    vocabulary.main([str(word) for word in given])
    return base, out


def pretrain(base: Path, data: Path, out: Path, *more: object) -> int:
    given = ["--base", base, "--data", data, "--out", out, "--pieces", 6 * 2 * 64, "--batch", 2, "--threads", 1, *more]
    return pretraining.main([str(word) for word in given])


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sequences that the tiny model takes."""
    monkeypatch.setattr(pretraining, "LENGTH", 64)
    monkeypatch.setattr(pretraining, "HELD_OUT", 4)


def test_learnt_pieces_are_parts_of_the_names_in_the_text_and_the_same_each_time(
    make_model: Callable[..., Path], data: Path, tmp_path: Path
) -> None:
    _, own = made(make_model, data, tmp_path)
    tokenizer = Tokenizer.from_file(str(own / "tokenizer.json"))
    assert tokenizer.encode("Dichlorobenzene", add_special_tokens=False).tokens == ["dichlorobenzene"]
    assert [tokenizer.id_to_token(number) for number in range(5)] == [*vocabulary.SPECIAL]
    texts = ["\n".join(LINES)] * 2
    once, again = (vocabulary.learnt(tokenizer, texts, 90).to_str() for _ in range(2))
    assert json.loads(once) == json.loads(again)


def test_a_new_piece_starts_as_the_mean_of_the_old_pieces_that_spell_it(
    make_model: Callable[..., Path], data: Path, tmp_path: Path
) -> None:
    base, own = made(make_model, data, tmp_path)
    old, new = (Tokenizer.from_file(str(folder / "tokenizer.json")).get_vocab() for folder in (base, own))
    name = "embeddings.word_embeddings.weight"
    before, after = (load_file(folder / "model.safetensors")[name] for folder in (base, own))
    spelled = ["r", *(f"##{letter}" for letter in "iver")]
    assert np.allclose(after[new["river"]], before[[old[piece] for piece in spelled]].mean(0), atol=1e-6)
    assert np.array_equal(after[new["mice"]], before[old["mice"]]), "an old piece keeps its embedding"


@pytest.mark.parametrize(
    ("piece", "spelled"),
    [("dichlor", [1, 2, 3]), ("##lor", [3]), ("##chlor", [2, 3]), ("di☃", [1, 0]), ("##☃", [0]), ("[UNK]", [0])],
)
def test_a_piece_is_spelled_by_the_longest_old_pieces(piece: str, spelled: list[int]) -> None:
    assert vocabulary.spelled(piece, {"[UNK]": 0, "di": 1, "##ch": 2, "##lor": 3, "d": 4, "##i": 5}) == spelled


def test_the_card_has_the_pieces_a_word_of_articles_that_were_not_counted(
    make_model: Callable[..., Path], data: Path, tmp_path: Path
) -> None:
    _, own = made(make_model, data, tmp_path)
    facts = json.loads((own / "made.json").read_text("utf-8"))
    assert facts["articles_kept_aside"] == 2
    assert 1 <= facts["pieces_a_word"] < facts["pieces_a_word_of_the_base"]
    assert facts["inputs"].keys() == {"base", "text"}
    assert str(tmp_path) not in facts["command"]


def test_words_are_what_blanks_separate(make_model: Callable[..., Path]) -> None:
    tokenizer = Tokenizer.from_file(str(make_model("bert", labels=None) / "tokenizer.json"))
    assert vocabulary.pieces_a_word(tokenizer, ["glucose, ethanol\nmice", "mice."]) == 6 / 4


@pytest.mark.usefixtures("short")
def test_a_training_that_was_stopped_continues_to_the_same_bytes(
    make_model: Callable[..., Path], data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, base = made(make_model, data, tmp_path)
    assert pretrain(base, data, tmp_path / "whole") == 0
    runs = 1
    while pretrain(base, data, tmp_path / "parts", "--minutes", 0) == 3:
        assert "run the same command again" in capsys.readouterr().err
        runs += 1
    assert runs == 6, "each run makes one step at least"
    whole, parts = ((tmp_path / name / "model" / "model.safetensors").read_bytes() for name in ("whole", "parts"))
    assert whole == parts
    assert whole != (base / "model.safetensors").read_bytes()
    assert pretrain(base, data, tmp_path / "whole") == 0, "a complete training is not repeated"


@pytest.mark.usefixtures("short")
def test_the_result_is_a_base_model_with_its_card(make_model: Callable[..., Path], data: Path, tmp_path: Path) -> None:
    _, base = made(make_model, data, tmp_path)
    assert pretrain(base, data, tmp_path / "out", "--rate", 0.01) == 0
    model = tmp_path / "out" / "model"
    assert (model / "tokenizer.json").read_bytes() == (base / "tokenizer.json").read_bytes()
    facts = json.loads((model / "made.json").read_text("utf-8"))
    assert facts["held_out_loss"] < np.log(150), "better than chance"
    assert "--base BASE" in facts["command"]
    config = json.loads((model / "config.json").read_text("utf-8"))
    assert config["vocab_size"] == json.loads((base / "config.json").read_text("utf-8"))["vocab_size"]


@pytest.mark.usefixtures("short")
def test_a_folder_with_another_training_is_refused(make_model: Callable[..., Path], data: Path, tmp_path: Path) -> None:
    _, base = made(make_model, data, tmp_path)
    assert pretrain(base, data, tmp_path / "out", "--minutes", 0) == 3
    with pytest.raises(SystemExit, match="a training with another rate; give another --out"):
        pretrain(base, data, tmp_path / "out", "--rate", 0.1)


@pytest.mark.usefixtures("short")
def test_the_loss_is_measured_on_articles_that_are_not_trained_on(
    make_model: Callable[..., Path], data: Path, tmp_path: Path
) -> None:
    _, base = made(make_model, data, tmp_path)
    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    aside, given = pretraining.sequences(data, tokenizer, 10**9, tmp_path / "out")
    first, last = (tokenizer.token_to_id(piece) for piece in ("[CLS]", "[SEP]"))
    for rows in (aside, given):
        assert (rows[:, 0] == first).all()
        assert (rows[:, -1] == last).all()
        assert rows.shape[1] == 64
    assert len(aside) == 4
    # 40 articles without the two kept aside and the one with a paragraph of a gold article.
    pieces = sum(len(tokenizer.encode(line, add_special_tokens=False).ids) for line in LINES) * 10 * 37
    assert len(given) == pieces // 62


def test_whole_words_are_hidden() -> None:
    continues = torch.zeros(60, dtype=torch.bool)
    continues[30:] = True
    # Words of a first piece and two that continue it, between [CLS] and [SEP].
    ids = torch.tensor([[2, *(piece for number in range(10, 26) for piece in (number, number + 30, 59)), 3]])
    generator = torch.Generator().manual_seed(3)
    seen = torch.zeros(ids.shape[1], dtype=torch.bool)
    for _ in range(30):
        shown, places, answers = pretraining.hidden(ids, continues, generator)
        assert torch.equal(ids.gather(1, places), answers)
        changed = (shown != ids)[0]
        chosen = torch.zeros_like(changed)
        chosen[places[0]] = True
        assert not (changed & ~chosen).any(), "other pieces stay"
        words = chosen[1:-1].view(16, 3).sum(1)
        assert sorted(words[words > 0].tolist()) == [1, 3, 3, 3], "the last word is cut where enough pieces are hidden"
        seen |= chosen
    assert seen[1:-1].all()
    assert not seen[[0, -1]].any(), "special pieces are never hidden"


def test_silver_articles_leave_out_those_that_share_a_paragraph_with_a_gold_article(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(silver, "SHORTEST", 0)
    files = silver.write_texts(data, tmp_path, 0, 100)
    ids = [str(document.id) for file in files for document in corpora.read(str(file))]
    assert "7" not in ids
    assert len(ids) == 39
    later = silver.write_texts(data, tmp_path, 10, 100)
    assert [str(document.id) for file in later for document in corpora.read(str(file))] == ids[10:]
