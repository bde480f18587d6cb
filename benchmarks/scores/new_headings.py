"""Counts the articles that have a chemical heading of the newest year of MeSH, by a plain search of its names.

    python -m benchmarks.scores.new_headings --data ../shared/data [--show 20]

The headings are those that the newest year lists and the year before does not, and that are chemicals or other
substances by the record that they replace, no proteins, enzymes or nucleic acids. Names are those of the heading and of
its record; a name is found where it stands as words in any case, so nothing is annotated. `--show`: so many places, as
many of each heading as there are, chosen at random.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

from benchmarks.retrain.sources import articles_of_text
from corpora.model.mesh_ids import is_descriptor
from sieves.lexicon.kinds import CHEMICAL_KIND
from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.looking_up import kind
from sieves.lexicon.store import SUBSTANCE

SHORTEST = 5
"""Characters. Shorter names are abbreviations, which a plain search finds wrongly."""
AROUND = 60
KINDS = (CHEMICAL_KIND, "other substance")


def main(arguments: Sequence[str] | None = None) -> dict[str, int]:
    """Run the command. Returns the number of articles for each heading."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--show", type=int, default=20)
    options = parser.parse_args(arguments)
    with Lexicon.open() as lexicon:
        names = new_names(lexicon)
        titles = {identifier: lexicon.preferred_name(identifier) for identifier in set(names.values())}
    pattern = re.compile(r"(?<!\w)(?:" + "|".join(sorted(map(re.escape, names), key=len, reverse=True)) + r")s?(?!\w)")
    articles: Counter[str] = Counter()
    places: dict[str, list[str]] = defaultdict(list)
    number = 0
    for article in articles_of_text(options.data):
        number += 1
        text = article["text"]
        lowered = text.lower()
        found = defaultdict(list)
        for match in pattern.finditer(lowered) if len(lowered) == len(text) else ():
            name = match[0] if match[0] in names else match[0].removesuffix("s")
            found[names[name]].append(match.start())
        articles.update(found.keys())
        for identifier, starts in found.items():
            start = starts[0]
            around = " ".join(text[max(0, start - AROUND) : start + AROUND].split())
            place = f"{titles[identifier]} ({identifier}) in {article['id']}: ...{around}..."
            places[identifier].append(place)
    print(f"{len(titles)} chemical headings are new; {len(articles)} of them in {number} articles")
    for identifier, count in articles.most_common():
        print(f"{identifier}\t{titles[identifier]}\t{count}")
    print("\n".join(_sample(places, options.show)))
    return dict(articles)


def _sample(places: dict[str, list[str]], number: int) -> list[str]:
    """So many places: one of each heading in turns."""
    chosen = random.Random(1)
    shuffled = [chosen.sample(of_heading, len(of_heading)) for of_heading in places.values()]
    return [place for turn in zip_longest(*shuffled) for place in turn if place is not None][:number]


def new_names(lexicon: Lexicon) -> dict[str, str]:
    """The names, in small letters, of the chemical headings that only the newest year lists, with their identifiers."""
    newest = 1 << len(lexicon.meta["listings"].split()) - 1
    names = {}
    for name, identifier in lexicon.names(SUBSTANCE):
        current = lexicon.translate(identifier)
        if current is None or not is_descriptor(current) or len(name) < SHORTEST:
            continue
        concept = lexicon.concept(current)
        if concept is not None and concept.listed == newest and kind(lexicon, [current]) in KINDS:
            names[name.lower()] = current
    return names


if __name__ == "__main__":
    main()
