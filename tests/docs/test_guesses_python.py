"""Twenty-five things that new users type in Python, and what happens: they work, or the error has the right remedy.

Twenty guesses on the command line are tested beside this file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from data_frames import Frame

import nlmchem
from nlmchem.api.pipeline import Pipeline

TEXTS = ["Rats were given glucose.", "Zinc and Ca2+ were low."]
ROWS = [
    {"pmid": 31, "title": "On sugar", "abstract": TEXTS[0]},
    {"pmid": 32, "title": "On metals", "abstract": TEXTS[1]},
]
DF = Frame(ROWS)


def dose(article: nlmchem.Article) -> nlmchem.Article:
    article.infons["dose"] = "none"
    return article


@dataclass(frozen=True)
class Guess:
    """What is typed; what it returns, or `remedy`: a part of the error."""

    typed: str
    call: Callable[[Pipeline], Any]
    returned: Any = None
    remedy: str = ""


def ids(articles: Any) -> list[str]:
    return [article.id for article in articles]


def names(article: nlmchem.Article) -> list[str | None]:
    return [mention.name for mention in article.mentions]


def _converted(nlp: Pipeline) -> object:
    nlmchem.write(nlp(TEXTS), "a.jsonl")
    result = nlmchem.commands.convert("a.jsonl", out="a.csv")
    return result.exit_code, result.notes, Path("a.csv").read_text("utf-8").count("\n")


def _read(nlp: Pipeline) -> object:
    nlmchem.write(nlp(TEXTS), "a.xml")
    return names(nlmchem.read("a.xml")[0])


GUESSES = (
    # many texts
    Guess("nlp(df)", lambda nlp: [(one.id, one.title) for one in nlp(DF)], [("31", "On sugar"), ("32", "On metals")]),
    Guess('nlp.pipe(df["abstract"])', lambda nlp: ids(nlp.pipe(DF["abstract"])), ["1", "2"]),
    Guess('nlp(df["abstract"], id=df["pmid"])', lambda nlp: ids(nlp(DF["abstract"], id=DF["pmid"])), ["31", "32"]),
    Guess('nlp(df.to_dict("records"))', lambda nlp: ids(nlp(ROWS)), ["31", "32"]),
    Guess("df.apply(nlp, axis=1)", lambda nlp: nlp(ROWS[0]).pmid, "31"),
    Guess(
        'nlp.pipe([(text, {"id": 7})], as_tuples=True)',
        lambda nlp: [(one.id, given) for one, given in nlp.pipe([(TEXTS[0], {"id": 7})], as_tuples=True)],
        [("7", {"id": 7})],
    ),
    Guess("nlp.pipe(texts, n_process=2)", lambda nlp: ids(nlp.pipe(TEXTS, n_process=2)), ["1", "2"]),
    Guess("nlp.pipe(texts, progress=True)", lambda nlp: ids(nlp.pipe(TEXTS, progress=True)), ["1", "2"]),
    Guess("len(nlp(texts))", lambda nlp: len(nlp(TEXTS)), 2),
    Guess("nlp(texts)[0]", lambda nlp: names(nlp(TEXTS)[0]), ["Glucose"]),
    Guess("nlp(texts).to_rows()", lambda nlp: [row["document"] for row in nlp(TEXTS).to_rows()], ["1", "2", "2"]),
    # an article
    Guess('nlp(text, id="7")', lambda nlp: nlp(TEXTS[0], id="7").mentions[0].document, "7"),
    Guess(
        'nlmchem.Article(text=..., id="7", title=...)',
        lambda nlp: names(nlp(nlmchem.Article(text=TEXTS[0], id="7", title="On zinc"))),
        ["Zinc", "Glucose"],
    ),
    Guess("article.to_dict()", lambda nlp: nlp(TEXTS[0]).to_dict()["text"], TEXTS[0]),
    Guess(
        "mention.start_char, mention.kb_id_",
        lambda nlp: [(one.start_char, one.kb_id_) for one in nlp(TEXTS[0]).mentions],
        [(16, "MESH:D005947")],
    ),
    # a pipeline
    Guess("nlp.add_pipe(function)", lambda nlp: (nlp.add_pipe(dose), nlp.steps[-1]), (dose, "dose")),
    Guess(
        'nlmchem.load(steps=["tag", function])',
        lambda nlp: nlmchem.load("lexicon", steps=["tag", dose])(TEXTS[0]).infons,
        {"dose": "none"},
    ),
    Guess(
        'nlmchem.load(names={"XR-9051": "MY:1"})',
        lambda nlp: nlmchem.load("lexicon", names={"XR-9051": "MY:1"})("XR-9051.").mentions[0].identifier,
        "MY:1",
    ),
    # names, files, commands
    Guess('nlmchem.lookup("Ca2+")[0].name', lambda nlp: nlmchem.lookup("Ca2+")[0].name, "Calcium"),
    Guess('nlmchem.write(nlp(texts), "a.csv")', lambda nlp: nlmchem.write(nlp(TEXTS), "a.csv"), 2),
    Guess('nlmchem.read("a.xml")[0]', _read, ["Glucose"]),
    Guess('nlmchem.commands.convert("a.jsonl", out="a.csv").notes', _converted, (0, [], 4)),
    # what is not there
    Guess("article.view()", lambda nlp: nlp(TEXTS[0]).view(), remedy='nlmchem.commands.view("a.xml", out="a.html")'),
    Guess("nlp.save(path)", lambda nlp: nlp.save("a"), remedy="pickle.dumps(nlp) keeps its options"),
    Guess('nlmchem.fetch("mesh")', lambda nlp: getattr(nlmchem, "fetch"), remedy='use nlmchem.commands.fetch("NAME")'),  # noqa: B009
)


@pytest.mark.parametrize("guess", GUESSES, ids=lambda guess: guess.typed)
def test_a_guess_works_or_gets_the_remedy(guess: Guess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    nlp = nlmchem.load("lexicon")
    if guess.remedy:
        with pytest.raises(AttributeError) as raised:
            guess.call(nlp)
        assert guess.remedy in str(raised.value)
    else:
        assert guess.call(nlp) == guess.returned


def test_most_guesses_work() -> None:
    assert (len(GUESSES), sum(not guess.remedy for guess in GUESSES)) == (25, 22)


def test_the_guesses_with_data_frames_work_with_those_of_pandas() -> None:
    pandas = pytest.importorskip("pandas", reason="the extra pandas is not installed")
    nlp, frame = nlmchem.load("lexicon"), pandas.DataFrame(ROWS)
    assert ids(nlp(frame)) == ids(frame.apply(nlp, axis=1)) == ids(nlp(frame.abstract, id=frame.pmid)) == ["31", "32"]
    assert list(nlp(frame).to_dataframe()["document"].unique()) == ["31", "32"]
