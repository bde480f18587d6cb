"""Makes a base model with a vocabulary for biomedical text from a general one.

    python -m benchmarks.retrain.vocabulary --base MINILM --data ../shared/data --out BASE
    python -m benchmarks.retrain.vocabulary --base MINILM --data ../shared/data --learn --pieces 24000 --out BASE

The first command keeps the pieces that the text uses; rare words are split into smaller pieces. With `--learn` the
pieces are learnt from all articles; a new piece starts as the mean of the old pieces that spell it (`dichlor`: that of
`di ##ch ##lor`). BASE/made.json has the command, the sha256 of the inputs, and the pieces a word in the articles that
no vocabulary counts. With `--int8`, BASE has int8 weights that need no `transformers`; the encoder of sentences that
ships was made so:

    python -m benchmarks.retrain.vocabulary --base MINILM --data ../shared/data --int8 --out encoder
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from tokenizers.trainers import WordPieceTrainer

from benchmarks.retrain.inputs import made_by, sha256
from benchmarks.retrain.sources import articles_of_text, is_kept_aside, place_of_text
from nlmchem.tagging.models.folders import FACTS_FILE, quiet_transformers
from nlmchem.tagging.models.weights import write_quantised
from nlmchem.tagging.training.folders import KEPT

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
CONTINUED = "##"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--pieces", type=int, default=16_000, help="maximum size of the vocabulary")
    parser.add_argument("--articles", type=int, default=2_000, help="number of articles of text to count")
    parser.add_argument("--learn", action="store_true", help="learn pieces from all articles; keep none of the old")
    parser.add_argument("--int8", action="store_true", help="write int8 weights")
    given = parser.parse_args(arguments)
    quiet_transformers()
    from transformers import AutoModel, AutoTokenizer, PreTrainedTokenizerFast

    old = AutoTokenizer.from_pretrained(given.base, local_files_only=True)
    model = AutoModel.from_pretrained(given.base, local_files_only=True, use_safetensors=True, add_pooling_layer=False)
    if given.learn:
        all_texts = [article["text"] for article in articles_of_text(given.data) if not is_kept_aside(article["id"])]
        tokenizer = learnt(old.backend_tokenizer, all_texts, given.pieces)
    else:
        texts = (article["text"] for article in islice(articles_of_text(given.data), given.articles))
        tokenizer = pruned(old.backend_tokenizer, texts, given.pieces)
    resize(model, old.backend_tokenizer, tokenizer)
    if given.int8:
        store(model, tokenizer, given.out)
    else:
        model.save_pretrained(given.out)
        names = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), SPECIAL, strict=True))
        PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=512, **names).save_pretrained(given.out)
    uncounted = islice(articles_of_text(given.data), given.articles, None)
    aside = [article["text"] for article in uncounted if is_kept_aside(article["id"])]
    facts = {
        "pieces": tokenizer.get_vocab_size(),
        "parameters": sum(weight.numel() for weight in model.parameters()),
        "articles_kept_aside": len(aside),
        "pieces_a_word": pieces_a_word(tokenizer, aside),
        "pieces_a_word_of_the_base": pieces_a_word(old.backend_tokenizer, aside),
    }
    inputs = {"base": sha256(given.base), "text": sha256(place_of_text(given.data))}
    hidden = {str(given.base): "MINILM", str(given.data): "DATA", str(given.out): "BASE"}
    made = made_by("vocabulary", arguments, inputs, hidden)
    (given.out / "made.json").write_text(json.dumps(facts | made, indent=1) + "\n", "utf-8")
    print(json.dumps(facts))


def store(model: Any, tokenizer: Tokenizer, folder: Path) -> None:
    """Write a BERT encoder with int8 weights, as `EmbeddedEncoder` reads it."""
    folder.mkdir(parents=True, exist_ok=True)
    write_quantised({f"bert.{name}": tensor.numpy() for name, tensor in model.state_dict().items()}, folder)
    config = model.config.to_dict()
    special = {"padding": "[PAD]", "first": "[CLS]", "separator": "[SEP]"}
    contents = {
        "config.json": {key: config[key] for key in KEPT if key in config and key != "id2label"},
        FACTS_FILE: {
            "special": {name: tokenizer.token_to_id(piece) for name, piece in special.items()},
            "stored": "int8",
        },
    }
    for name, content in contents.items():
        (folder / name).write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", "utf-8")
    (folder / "tokenizer.json").write_text(tokenizer.to_str(), "utf-8")


def pruned(old: Tokenizer, texts: Iterator[str], size: int) -> Tokenizer:
    """The old tokenizer with the special pieces, single characters, and the pieces that the text uses most."""
    old.no_truncation()
    old.no_padding()
    counts: Counter[int] = Counter()
    for text in texts:
        for encoding in old.encode_batch_fast(text.split("\n"), add_special_tokens=False):
            counts.update(encoding.ids)
    vocabulary = old.get_vocab()
    needed = [piece for piece in vocabulary if len(piece.removeprefix(CONTINUED)) == 1]
    used = sorted(vocabulary, key=lambda piece: (-counts[vocabulary[piece]], piece))
    # Single characters that the text never uses belong to scripts that the model was not trained on.
    kept = [piece for piece in needed if counts[vocabulary[piece]] or piece.isascii()]
    chosen = dict.fromkeys([*SPECIAL, *sorted(kept), *(piece for piece in used if counts[vocabulary[piece]] > 1)])
    return rebuilt(old, list(chosen)[:size])


def learnt(old: Tokenizer, texts: Sequence[str], size: int) -> Tokenizer:
    """The old tokenizer with `size` pieces learnt from the text: the same folding of letters and the same words.

    Characters that one text has, or the old vocabulary lacks, are in no piece.
    """
    counts = Counter[str]()
    for text in texts:
        counts.update(set(old.normalizer.normalize_str("".join(set(text)))))
    characters = sorted(letter for letter, number in counts.items() if number > 1 and letter in old.get_vocab())
    tokenizer = Tokenizer.from_str(old.to_str())
    trainer = WordPieceTrainer(
        vocab_size=size,
        # The trainer numbers others as a hash table orders them; of two pairs as frequent, their numbers choose.
        special_tokens=[*SPECIAL, *characters, *(CONTINUED + letter for letter in characters)],
        initial_alphabet=characters,
        limit_alphabet=len(characters),
        show_progress=False,
    )
    tokenizer.train_from_iterator((line for text in texts for line in text.split("\n")), trainer)
    return rebuilt(old, sorted(tokenizer.get_vocab(), key=tokenizer.get_vocab().__getitem__))


def pieces_a_word(tokenizer: Tokenizer, texts: Sequence[str]) -> float | None:
    """The mean number of pieces of a word; blanks separate words. None without words."""
    tokenizer.no_truncation()
    tokenizer.no_padding()
    pieces = sum(len(encoding.ids) for encoding in tokenizer.encode_batch(list(texts), add_special_tokens=False))
    words = sum(len(text.split()) for text in texts)
    return round(pieces / words, 4) if words else None


def rebuilt(old: Tokenizer, pieces: list[str]) -> Tokenizer:
    """The tokenizer with another vocabulary. Everything else is the same."""
    state = json.loads(old.to_str())
    ids = {piece: number for number, piece in enumerate(pieces)}
    state["model"]["vocab"] = ids
    for added in state["added_tokens"]:
        added["id"] = ids[added["content"]]
    state["post_processor"] = None
    state["truncation"] = state["padding"] = None
    return Tokenizer.from_str(json.dumps(state))


def resize(model: torch.nn.Module, old: Tokenizer, new: Tokenizer) -> None:
    """Give each piece the embedding that it had, or the mean of the old pieces that spell it."""
    weights = model.get_input_embeddings().weight.detach()
    vocabulary = old.get_vocab()
    rows = torch.zeros(new.get_vocab_size(), weights.shape[1])
    for piece, number in new.get_vocab().items():
        rows[number] = weights[spelled(piece, vocabulary)].mean(0)
    embedding = torch.nn.Embedding.from_pretrained(rows, freeze=False, padding_idx=new.token_to_id("[PAD]"))
    model.set_input_embeddings(embedding)
    model.config.vocab_size = len(rows)
    model.config.pad_token_id = new.token_to_id("[PAD]")


def spelled(piece: str, vocabulary: Mapping[str, int]) -> list[int]:
    """The numbers of the old pieces that spell a piece, the longest first; [UNK] for a character that has none."""
    numbers: list[int] = []
    while piece.removeprefix(CONTINUED) or not numbers:
        longest = next((end for end in range(len(piece), 0, -1) if piece[:end] in vocabulary), 0)
        if piece[:longest] in ("", CONTINUED):
            return [*numbers, vocabulary["[UNK]"]]
        numbers.append(vocabulary[piece[:longest]])
        piece = CONTINUED + piece[longest:]
    return numbers


if __name__ == "__main__":
    main()
