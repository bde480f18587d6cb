"""Text-to-text models (T5, BART) as taggers: their output is the text with marks, and becomes spans of the text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from command_line import invoke
from plain_articles import plain_article
from safetensors.torch import load_file, save_file
from tokenizers import AddedToken, Tokenizer
from unigram_tokenizer import unigram_tokenizer

from corpora.errors import ConfigurationError, ResourceError
from corpora.model.document import mentions
from corpora.model.invariant import require_invariant
from corpora.model.passages import passage_text
from nlmchem.companions.studies.text_to_text.generation import TextToTextModel, marked_pieces
from nlmchem.companions.studies.text_to_text.loading import load_text_to_text
from nlmchem.engine import runner
from nlmchem.engine.executors import InlineExecutor
from nlmchem.tagging.inference.labels import spans_of_roles
from nlmchem.tagging.models.folders import version_of
from nlmchem.tagging.models.loading import labels_of, load_model, open_model
from nlmchem.tagging.registry import TaggerChoice
from nlmchem.tagging.rules.post_processing import Rules
from nlmchem.tagging.tagger import NeuralTagger, TaggerOptions
from sieves.lexicon.lexicon import Lexicon

import transformers  # isort: skip

SENTENCES = (
    "Mice were given glucose for two days.",
    "The level of Ca2+ rose, whereas 2,4-dinitrophenol fell (p < 0.05).",
    "We measured dopamine-induced currents in neurons of the rat.",
    "No effect of treatment was seen in the second group.",
)
ALONE = TaggerOptions(Rules.parse("none"))
MakeT5 = Callable[..., Path]


def tokenizer() -> Tokenizer:
    lines = [*SENTENCES, "glucose ethanol dopamine NaCl aspirin", "".join(map(chr, range(33, 127)))]
    own = unigram_tokenizer(lines, ["<pad>", "</s>", "<unk>", "<s>"], "<unk>")
    own.add_special_tokens([AddedToken("<chem>"), AddedToken("</chem>")])
    # As in many real models, tokenizer.json truncates.
    own.enable_truncation(8)
    return own


@pytest.fixture(scope="module")
def make_t5(tmp_path_factory: pytest.TempPathFactory) -> MakeT5:
    """Writes a tiny model with random weights: `make_t5("t5", {"window": 40})` returns its folder."""
    own = tokenizer()
    small = {"vocab_size": own.get_vocab_size(), "d_model": 16, "pad_token_id": 0, "eos_token_id": 1}
    t5 = {"d_kv": 8, "d_ff": 32, "num_layers": 2, "num_heads": 2, "decoder_start_token_id": 0, "dropout_rate": 0.0}
    bart = {
        "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2, "decoder_attention_heads": 2,
        "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "max_position_embeddings": 64, "bos_token_id": 3,
        "decoder_start_token_id": 1,
    }  # fmt: skip

    def make(kind: str = "t5", facts: dict[str, object] | None = None) -> Path:
        folder = tmp_path_factory.mktemp(kind)
        torch.manual_seed(5)
        config = transformers.AutoConfig.for_model(kind, **small, **(t5 if kind == "t5" else bart))
        model = transformers.AutoModelForSeq2SeqLM.from_config(config)
        with torch.no_grad():
            # With the small initial weights, the same piece would be the likeliest everywhere.
            for weight in model.parameters():
                if weight.dim() > 1:
                    weight.normal_(0, 0.7)
        model.save_pretrained(folder)
        own.save(str(folder / "tokenizer.json"))
        (folder / "nlmchem.json").write_text(json.dumps(facts or {}))
        return folder

    return make


TEXTS = (
    "Mice were given glucose for two days. We measured ethanol.",
    "",
    "β-Carotene (漢字) \U0001d6fc-x\u0301, <chem> and </chem> \ud800 stand  here.\n\tNaCl 5 %",
    " ".join(SENTENCES) * 6,
)


def same(one: TextToTextModel, texts: tuple[str, ...]) -> list[bytes]:
    scored, _ = one.score([list(texts)])
    return [passage.probabilities.tobytes() for passage in scored[0]]


# -- what it writes ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["t5", "bart"])
def test_every_mention_is_a_piece_of_the_text(make_t5: MakeT5, kind: str) -> None:
    model = load_text_to_text(make_t5(kind, {"window": 40}))
    document = plain_article(*TEXTS)
    tagger = NeuralTagger([model], ALONE)
    tagger([document])
    require_invariant(document)
    found = list(mentions(document))
    assert len(found) > 5
    assert {passage_text(passage) for passage in document.passages} == set(TEXTS), "no text is changed"
    assert tagger.coverage.unseen == 0
    assert tagger.coverage.computed > tagger.coverage.pieces > 300, "a long passage has overlapping windows"
    last = document.passages[-1]
    assert max(mention.spans[0][0] for mention in found) > last.offset + len(TEXTS[-1]) // 2, "nothing is truncated"


def test_a_passage_in_one_window_has_the_roles_that_were_written(make_t5: MakeT5) -> None:
    model = load_text_to_text(make_t5())
    (encoded,) = model.cutter(TEXTS[:1])
    ids = encoded.ids.tolist()
    with torch.inference_mode():
        # The same output by the generation of `transformers` with a processor of logits.
        written = generated(model, ids, encoded.glued)
    ((scored,),), _ = model.score([[TEXTS[0]]])
    spans = spans_of_roles(scored.roles)
    assert spans
    assert written == marked_pieces(ids, spans, model.marks)


def generated(model: TextToTextModel, ids: list[int], glued: np.ndarray) -> list[int]:
    (opening,), (closing,) = model.marks.open, model.marks.close

    def allowed(_: int, row: torch.Tensor) -> list[int]:
        output = row.tolist()[1:]
        at = sum(piece not in (opening, closing) for piece in output)
        inside = output.count(opening) > output.count(closing)
        if at == len(ids):
            return [closing] if inside else [1]
        if output[-1:] == [opening] or glued[at]:
            return [ids[at]]
        return [ids[at], closing if inside else opening]

    output = model.network.generate(
        input_ids=torch.tensor([[*ids, 1]]), max_new_tokens=3 * len(ids) + 2, num_beams=1, do_sample=False,
        prefix_allowed_tokens_fn=allowed,
    )  # fmt: skip
    return [piece for piece in output[0].tolist()[1:] if piece != 1]


def test_a_model_learns_to_mark_chemicals_from_marked_pieces(make_t5: MakeT5) -> None:
    """`marked_pieces` is the target of a training: after it, the model marks the chemicals of its sentences."""
    model = load_text_to_text(make_t5("t5"))
    network, names = model.network, ("glucose", "ethanol", "dopamine")
    torch.manual_seed(0)
    for weight in network.parameters():
        if weight.dim() > 1:
            torch.nn.init.normal_(weight, std=0.2)
    rows = []
    for before, after in (("Mice were given", "for two days."), ("No effect of", "was seen."), ("We measured", "in")):
        for name in names:
            (encoded,) = model.cutter([f"{before} {name} {after}"])
            place = encoded.pieces(len(before) + 1, len(before) + 1 + len(name))
            ids = encoded.ids.tolist()
            rows.append(([*ids, 1], [*marked_pieces(ids, [place], model.marks), 1]))
    optimiser = torch.optim.Adam(network.parameters(), lr=0.02)
    network.train()
    for _ in range(60):
        read, written = (
            torch.nn.utils.rnn.pad_sequence([torch.tensor(row[side]) for row in rows], True, filler)
            for side, filler in ((0, 0), (1, -100))
        )
        optimiser.zero_grad()
        network(input_ids=read, attention_mask=(read != 0).long(), labels=written).loss.backward()
        optimiser.step()
    network.eval()
    document = plain_article("No effect of glucose was seen.", "Mice were given dopamine for two days.")
    NeuralTagger([model], ALONE)([document])
    assert [mention.text for mention in mentions(document)] == ["glucose", "dopamine"]


def test_scores_do_not_depend_on_other_texts_or_threads(make_t5: MakeT5) -> None:
    model = load_text_to_text(make_t5("t5", {"window": 40}))
    reference = same(model, TEXTS)
    assert reference[::-1] == same(model, TEXTS[::-1])
    assert reference == [same(model, (text,))[0] for text in TEXTS]
    # Threads make a network as small as this one slow: one text is enough.
    torch.set_num_threads(2)
    assert reference[:1] == same(model, TEXTS[:1])


# -- marks and settings --------------------------------------------------------------------------


def test_marks_and_prefix_are_named_in_the_folder(make_t5: MakeT5) -> None:
    marks = {"open": "[", "close": "]", "prefix": "mark:"}
    model = load_text_to_text(make_t5("t5", {"text_to_text": marks, "window": 60, "name": "own"}))
    plain = load_text_to_text(make_t5())
    assert model.marks != plain.marks
    assert model.name == "own"
    assert same(model, TEXTS[:1]) != same(plain, TEXTS[:1])


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"text_to_text": {"open": "♥"}}, "no pieces for the mark '♥'.*name the marks"),
        ({"text_to_text": {"open": "</chem>"}}, "have the same pieces"),
        ({"text_to_text": {"open": ""}}, "is ''; give a text"),
        ({"text_to_text": {"begin": "["}}, "give an object with open, close, prefix"),
        ({"text_to_text": "["}, "give an object"),
        ({"text_to_text": {"prefix": 1}}, "is 1; give a text"),
        ({"window": 5}, "leaves 3 pieces for the text"),
        ({"window": "all"}, "give a number of pieces"),
    ],
)
def test_settings_that_cannot_be_used_are_named(make_t5: MakeT5, facts: dict[str, object], reason: str) -> None:
    folder = make_t5("t5", facts)
    with pytest.raises((ConfigurationError, ResourceError), match=reason) as raised:
        load_text_to_text(folder)
    assert str(folder) in str(raised.value)


def test_a_window_fits_also_if_every_piece_is_a_mention(make_t5: MakeT5) -> None:
    model = load_text_to_text(make_t5("bart"))
    assert model.positions == 64
    assert len(model.start) + model.capacity * model.marks.most <= model.positions


# -- bad folders ---------------------------------------------------------------------------------


def damaged(folder: Path, how: str) -> Path:
    weights, config = folder / "model.safetensors", folder / "config.json"
    if how == "pickle":
        weights.rename(folder / "pytorch_model.bin")
    elif how == "truncated":
        weights.write_bytes(weights.read_bytes()[:-500])
    elif how == "nan":
        tensors = load_file(weights)
        next(iter(tensors.values())).view(-1)[0] = float("nan")
        save_file(tensors, weights, {"format": "pt"})
    elif how == "lacking":
        tensors = load_file(weights)
        save_file({name: row for name, row in tensors.items() if "layer.0.SelfAttention.q" not in name}, weights)
    elif how == "no tokenizer":
        (folder / "tokenizer.json").rename(folder / "spm.model")
    elif how == "half a tokenizer":
        (folder / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes()[:300])
    elif how == "no end":
        settings = json.loads(config.read_text())
        config.write_text(json.dumps({**settings, "eos_token_id": None}))
    elif how == "small vocabulary":
        larger = tokenizer()
        larger.add_tokens(["one more"])
        larger.save(str(folder / "tokenizer.json"))
    return folder


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("pickle", r"pytorch_model\.bin, a pickle"),
        ("truncated", "cannot be read"),
        ("nan", "not finite numbers"),
        ("lacking", "its weights lack .*SelfAttention"),
        ("no tokenizer", r"no tokenizer\.json"),
        ("half a tokenizer", r"tokenizer\.json cannot be read"),
        ("no end", "no eos_token_id"),
        ("small vocabulary", "its weights have"),
    ],
)
def test_a_damaged_folder_is_refused(make_t5: MakeT5, how: str, reason: str) -> None:
    folder = damaged(make_t5(), how)
    with pytest.raises(ResourceError, match=reason) as raised:
        open_model(folder)
    assert str(folder) in str(raised.value)


def test_other_labels_are_refused(make_t5: MakeT5) -> None:
    with pytest.raises(ConfigurationError, match="it is a text-to-text model, which has no labels; leave out labels"):
        labels_of(make_t5(), ("B-Chemical", "I-Chemical", "O"))


def test_a_folder_is_opened_by_its_kind(make_t5: MakeT5, make_model: Callable[..., Path]) -> None:
    assert isinstance(open_model(make_t5()), TextToTextModel)
    assert not isinstance(open_model(make_model("bert")), TextToTextModel)
    with pytest.raises(ResourceError, match="'t5', not one of bert"):
        load_model(make_t5())


def test_the_version_changes_with_the_marks(make_t5: MakeT5) -> None:
    one, other = make_t5("t5", {}), make_t5("t5", {"text_to_text": {"open": "["}})
    assert version_of(one) != version_of(other)


def test_a_device_that_is_missing(make_t5: MakeT5) -> None:
    with pytest.raises(ConfigurationError, match="there is no device 'gpu'"):
        load_text_to_text(make_t5(), "gpu")


def test_a_window_that_does_not_fit_into_memory(make_t5: MakeT5, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_large(*_: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    model = load_text_to_text(make_t5())
    monkeypatch.setattr(TextToTextModel, "read", too_large)
    with pytest.raises(Exception, match="not enough memory on cpu for one window of"):
        model.score([["Mice were given glucose."]])


# -- in a run ------------------------------------------------------------------------------------


def test_it_works_with_other_taggers_and_the_rules(make_t5: MakeT5, make_model: Callable[..., Path]) -> None:
    choice = TaggerChoice(("lexicon", str(make_t5()), str(make_model("bert"))))
    assert len(set(choice.versions().values())) == 3
    document = plain_article("Mice were given glucose and ethanol.")
    choice.stage(Lexicon.open("starter"))([document])
    require_invariant(document)


def test_annotate_takes_the_folder(make_t5: MakeT5, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "LocalExecutor", InlineExecutor)
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.txt").write_text(
            f"{name}: Mice were given glucose.\n\nWe measured ethanol-induced NaCl.\n"
        )
    inputs = [str(tmp_path / f"{name}.txt") for name in ("a", "b", "c")]
    call = ["annotate", *inputs, "--tagger", str(make_t5()), "--lexicon", "starter"]
    written = []
    for workers in ("1", "2"):
        out = tmp_path / f"out-{workers}"
        result = invoke([*call, "--workers", workers, "-o", str(out)])
        assert result.exit_code == 0, result.output
        written.append({path.name: path.read_bytes() for path in sorted(out.glob("*.xml"))})
    assert len(written[0]) == 3
    assert written[0] == written[1]
    broken = damaged(make_t5(), "truncated")
    result = invoke([*call[:-3], str(broken), "--workers", "1", "-o", str(tmp_path / "none")])
    assert result.exit_code == 1
    assert f"the model {broken} cannot be used: it cannot be read" in str(result.exception)
