"""Bad models and bad texts: refused or borne, in one plain sentence, never half done."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from plain_articles import plain_article

from corpora.errors import ArticleError, ConfigurationError, ResourceError
from corpora.model.document import mentions
from corpora.model.invariant import require_invariant
from nlmchem.tagging.models import loading
from nlmchem.tagging.models.folders import FILE, folder_of, version_of
from nlmchem.tagging.models.loading import load_model
from nlmchem.tagging.tagger import NeuralTagger, TaggerOptions
from nlmchem.tagging.training.folders import store


def test_no_folder() -> None:
    with pytest.raises(ResourceError, match="no model folder"):
        load_model("/nowhere")
    with pytest.raises(ConfigurationError, match="no tagger 'pubmedbert'"):
        folder_of("pubmedbert")


def test_a_folder_without_tokenizer(make_model: Callable[..., Path]) -> None:
    folder = make_model("bert")
    for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt"):
        (folder / name).unlink(missing_ok=True)
    with pytest.raises(ResourceError, match="has no tokenizer"):
        load_model(folder)


def test_a_damaged_tokenizer(make_model: Callable[..., Path]) -> None:
    folder = make_model("bert")
    (folder / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes()[:500])
    with pytest.raises(ResourceError, match=r"tokenizer\.json cannot be read"):
        load_model(folder)


def test_wrong_labels(make_model: Callable[..., Path]) -> None:
    with pytest.raises(ConfigurationError, match="POSITIVE"):
        load_model(make_model("bert", labels=["POSITIVE", "NEGATIVE"]))
    with pytest.raises(ConfigurationError, match="its labels mark Cell, Gene"):
        load_model(make_model("bert", labels=["O", "B-Gene", "I-Gene", "B-Cell", "I-Cell"]))


def test_a_tokenizer_with_more_pieces_than_the_model_has_embeddings(make_model: Callable[..., Path]) -> None:
    folder, other = make_model("bert"), make_model("roberta")
    for file in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(other / file, folder / file)
    with pytest.raises(
        ResourceError, match=r"its tokenizer has \d+ pieces, but its vocab_size .*; copy the one"
    ) as raised:
        load_model(folder)
    assert "IndexError" not in str(raised.value)


def test_a_model_without_a_trained_classifier(make_model: Callable[..., Path]) -> None:
    folder = make_model("bert", labels=None)
    config = json.loads((folder / "config.json").read_text())
    config["id2label"] = {"0": "O", "1": "B-Chemical", "2": "I-Chemical"}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ResourceError, match=r"classifier.* not a trained tagger"):
        load_model(folder)


@pytest.mark.parametrize("stored", [False, True])
def test_truncated_weights(make_model: Callable[..., Path], tmp_path: Path, stored: bool) -> None:
    folder = make_model("bert")
    if stored:
        store(folder, tmp_path / "stored")
        folder = tmp_path / "stored"
    weights = folder / (FILE if stored else "model.safetensors")
    weights.write_bytes(weights.read_bytes()[:-1000])
    with pytest.raises(ResourceError, match=r"cannot be read.*get the model again"):
        load_model(folder)


class Bomb:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (Path.touch, (Path("/tmp/nlmchem-was-here"),))


def test_a_pickle_is_refused_and_not_read(make_model: Callable[..., Path]) -> None:
    folder = make_model("bert")
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(ResourceError, match=r"pytorch_model\.bin, a pickle"):
        load_model(folder)
    assert not Path("/tmp/nlmchem-was-here").exists()


def test_an_unsupported_architecture(make_model: Callable[..., Path]) -> None:
    folder = make_model("bert")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "model_type": "gpt2"}))
    with pytest.raises(ResourceError, match="'gpt2', not one of bert"):
        load_model(folder)


def test_a_missing_device(make_model: Callable[..., Path]) -> None:
    with pytest.raises(ConfigurationError, match="there is no device 'gpu'"):
        load_model(make_model("bert"), "gpu")
    if not torch.cuda.is_available():
        with pytest.raises(ResourceError, match="no CUDA device"):
            load_model(make_model("bert"), "cuda")


@pytest.mark.parametrize("kind", ["float32", "stored"])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_not_finite_numbers_are_refused(
    make_model: Callable[..., Path], tmp_path: Path, kind: str, value: float
) -> None:
    from safetensors.torch import load_file, save_file

    folder = make_model("bert")
    if kind == "stored":
        store(folder, tmp_path / "stored")
        folder = tmp_path / "stored"
    path = folder / (FILE if kind == "stored" else "model.safetensors")
    tensors = load_file(path)
    tensors["classifier.bias"].view(-1)[1] = value
    save_file(tensors, path, metadata={"format": "pt"})
    with pytest.raises(ResourceError, match=r"classifier\.bias contain values that are not finite numbers"):
        load_model(folder)


QUERY = "bert.encoder.layer.0.attention.self.query"


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("arithmetic", ["float32", "int8"])
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("epsilon", "scores that are no numbers"),
        ("bias", "scores that are no numbers"),
        ("float32", "query.weight are float32, not int8"),
        ("int32", "query.weight are int32, not int8"),
        ("float64", "query.bias are float64, not float32"),
    ],
)
def test_stored_weights_that_are_damaged_are_refused_in_both_arithmetics(
    make_model: Callable[..., Path], tmp_path: Path, arithmetic: str, change: str, reason: str
) -> None:
    import numpy as np
    from safetensors.numpy import load_file, save_file

    folder = tmp_path / "stored"
    store(make_model("bert"), folder)
    tensors = load_file(folder / FILE)
    if change == "epsilon":
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps({**config, "layer_norm_eps": float("nan")}))
    elif change == "bias":
        # Finite numbers, whose products are not.
        for part in ("query", "key"):
            tensors[QUERY.replace("query", part) + ".bias"][:] = 3e38
    elif change == "float64":
        tensors[QUERY + ".bias"] = tensors[QUERY + ".bias"].astype(np.float64)
    else:
        tensors[QUERY + ".weight"] = tensors[QUERY + ".weight"].astype(change)
    save_file(tensors, folder / FILE)
    with pytest.raises(ResourceError, match=reason):
        load_model(folder, arithmetic=arithmetic)


def test_a_model_with_a_crf_is_refused(make_model: Callable[..., Path]) -> None:
    folder = make_model("bert")
    (folder / "crf.safetensors").touch()
    with pytest.raises(ResourceError) as refused:
        version_of(folder)
    assert str(refused.value) == (
        f"the model {folder} has a CRF (crf.safetensors), which is not supported; use another model"
    )


@pytest.mark.parametrize("shard", ["pytorch_model.bin", "../other.safetensors", "/tmp/other.safetensors"])
def test_an_index_of_weights_names_only_safetensors_in_its_folder(make_model: Callable[..., Path], shard: str) -> None:
    folder = make_model("bert")
    (folder / "model.safetensors").rename(folder.parent / "other.safetensors")
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Bomb()))
    (folder / "model.safetensors.index.json").write_text(
        json.dumps({"metadata": {}, "weight_map": {"classifier.bias": shard}})
    )
    with pytest.raises(ResourceError, match=r"not a \.safetensors file in the same folder"):
        load_model(folder)
    assert not Path("/tmp/nlmchem-was-here").exists()


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("adapter_config.json", {"base_model_name_or_path": "/tmp/other"}, "is an adapter"),
        ("config.json", {"model_type": "bert", "transformers_weights": "x.safetensors"}, "transformers_weights"),
        ("model.safetensors.index.json", {"weight_map": {"a": "missing.safetensors"}}, "missing"),
        ("model.safetensors.index.json", {"weight_map": []}, "no weight_map"),
    ],
)
def test_files_that_lead_to_other_weights_are_refused(
    make_model: Callable[..., Path], name: str, content: dict[str, object], reason: str
) -> None:
    folder = make_model("bert")
    (folder / name).write_text(json.dumps(content))
    with pytest.raises(ResourceError, match=reason):
        load_model(folder)


@pytest.mark.parametrize("name", ["tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"])
def test_the_version_changes_with_the_settings_of_the_tokenizer(make_model: Callable[..., Path], name: str) -> None:
    folder = make_model("bert")
    before = version_of(folder)
    (folder / name).write_text("{}")
    assert version_of(folder) != before


def test_scores_that_are_not_numbers(make_model: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    from safetensors.torch import load_file, save_file

    folder = make_model("bert")
    tensors = load_file(folder / "model.safetensors")
    tensors["classifier.weight"][:] = 3e38
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    document = plain_article("Mice were given glucose.")
    with pytest.raises(ResourceError, match="scores that are no numbers"):
        load_model(folder)
    # Weights may give such scores for some texts only.
    monkeypatch.setattr(loading, "_require_usable", lambda model: None)
    with pytest.raises(ArticleError, match="scores that are no numbers"):
        NeuralTagger([load_model(folder)])([document])
    assert not list(mentions(document))


def test_a_min_score_outside_0_and_1() -> None:
    with pytest.raises(ConfigurationError, match="from 0 to 1"):
        TaggerOptions(min_score=1.5)


def test_the_version_changes_with_weights_labels_and_tokenizer(make_model: Callable[..., Path]) -> None:
    folder = make_model("bert")
    versions = {version_of(folder)}
    for name in ("model.safetensors", "config.json", "tokenizer.json", "nlmchem.json"):
        (folder / name).write_bytes((folder / name).read_bytes() + b" ")
        versions.add(version_of(folder))
    assert len(versions) == 5


@pytest.mark.parametrize("architecture", ["bert", "roberta", "deberta-v2"])
def test_unusual_texts(make_model: Callable[..., Path], architecture: str) -> None:
    tagger = NeuralTagger([load_model(make_model(architecture))])
    texts = [
        "",
        " \n\t ",
        "\u0000\u200b\ufeff",
        "水酸化ナトリウムを加えた。 Глюкоза и этанол. الجلوكوز e\u0301\u0301\u0301 👩‍🔬 Ca²⁺",
        "x" * 3000,
        "((((" * 500 + "))))" * 500,
    ]
    document = plain_article(*texts)
    tagger([document, plain_article(), plain_article("")])
    require_invariant(document)
    assert [passage.text for passage in document.passages] == texts
    assert tagger.coverage.articles == 3
    assert tagger.coverage.unseen == 0


def test_a_passage_of_one_hundred_thousand_characters(make_model: Callable[..., Path]) -> None:
    """All of it is seen, and the time is that of its length."""
    tagger = NeuralTagger([load_model(make_model("bert", window=128))])
    text = ("The level of glucose rose, whereas NaCl fell (p < 0.05). " * 2_000)[:100_000]
    document = plain_article(text)
    tagger([document])
    assert tagger.coverage.pieces > 20_000
    assert tagger.coverage.unseen == 0
    assert max((end for mention in mentions(document) for _, end in mention.spans), default=0) > 90_000


def test_one_word_of_half_a_million_characters_is_tokenized_in_linear_time(make_model: Callable[..., Path]) -> None:
    for architecture in ("bert", "roberta", "deberta-v2"):
        model = load_model(make_model(architecture))
        (encoded,) = model.cutter(["abcd" * 125_000])
        assert len(encoded) >= 25
        assert encoded.ends[-1] == 500_000


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("tokenizer.json", {"version": ""}),
        ("tokenizer.json", {"pre_tokenizer": True}),
        ("config.json", {"num_attention_heads": []}),
        ("config.json", {"num_hidden_layers": None}),
        ("config.json", {"vocab_size": -1}),
        ("nlmchem.json", {"window": "x"}),
    ],
)
@pytest.mark.parametrize("stored", [False, True])
def test_a_value_of_another_kind_is_refused_before_any_article(
    make_model: Callable[..., Path], tmp_path: Path, stored: bool, file: str, change: dict[str, object]
) -> None:
    folder = make_model("bert")
    if stored:
        store(folder, tmp_path / "stored")
        folder = tmp_path / "stored"
    values = json.loads((folder / file).read_text())
    (folder / file).write_text(json.dumps({**values, **change}))
    with pytest.raises(ResourceError, match=r"cannot be used: [^\n]*; get the model again$"):
        load_model(folder)


@pytest.mark.parametrize("stored", [False, True])
def test_a_billion_layers_are_refused_before_any_is_made(
    make_model: Callable[..., Path], tmp_path: Path, stored: bool
) -> None:
    folder = make_model("bert")
    if stored:
        store(folder, tmp_path / "stored")
        folder = tmp_path / "stored"
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 10**9}))
    with pytest.raises(ResourceError, match=r"has num_hidden_layers 1000000000, but the weights have \d+ tensors; get"):
        load_model(folder)


@pytest.mark.parametrize("stored", [False, True])
def test_a_tokenizer_that_makes_its_library_panic_is_one_sentence(
    make_model: Callable[..., Path], tmp_path: Path, stored: bool
) -> None:
    folder = make_model("bert")
    if stored:
        store(folder, tmp_path / "stored")
        folder = tmp_path / "stored"
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    tokenizer["normalizer"] = {"type": "Precompiled", "precompiled_charsmap": "AAAAAA=="}
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    with pytest.raises(ResourceError, match=r"cannot be used: [^\n]*; get the model again$"):
        load_model(folder)


@pytest.mark.parametrize("model", ["WordPiece", "WordLevel", "Unigram"])
def test_a_tokenizer_without_its_unknown_piece_is_refused_before_any_article(
    make_model: Callable[..., Path], tmp_path: Path, model: str
) -> None:
    store(make_model("bert"), tmp_path / "stored")
    path = tmp_path / "stored" / "tokenizer.json"
    tokenizer = json.loads(path.read_text())
    tokenizer["added_tokens"] = []
    vocabulary = {piece: number for piece, number in tokenizer["model"]["vocab"].items() if piece != "[UNK]"}
    tokenizer["model"] = {
        "WordPiece": {**tokenizer["model"], "vocab": vocabulary},
        "WordLevel": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
        "Unigram": {"type": "Unigram", "vocab": [[piece, -1.0] for piece in vocabulary], "unk_id": None},
    }[model]
    path.write_text(json.dumps(tokenizer))
    with pytest.raises(ResourceError, match=r"cannot cut words .*: its unknown piece is missing; get the model again$"):
        load_model(tmp_path / "stored")


def test_a_vocabulary_that_is_larger_than_the_weights_is_refused(make_model: Callable[..., Path]) -> None:
    folder = make_model("bert")
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    tokenizer["model"]["vocab"]["beyond"] = 9999
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    with pytest.raises(ResourceError, match="cannot be used: "):
        load_model(folder)
