"""Makes `nlmchem/tagging/gazetteer/annotated_names.tsv`: how often annotators of NLM-Chem marked which name.

    python -m benchmarks.retrain.annotated_names --data ../shared/data

The source is the list of mentions of the training and development articles of NLM-Chem (100 articles, CC0; Islamaj et
al. 2021, Scientific Data 8:91), without text. None of them is among the 30 articles that models are trained and
measured on. A line has the name in plain characters and the number of mentions. Time: 1 second.
"""

from __future__ import annotations

import argparse
import tarfile
from collections import Counter
from pathlib import Path

from sieves.lexicon.keys import tidy

OUT = Path(__file__).resolve().parents[2] / "nlmchem" / "tagging" / "gazetteer" / "annotated_names.tsv"
HEADER = (
    "# Names that annotators of NLM-Chem marked in its training and development articles, and how often.\n"
    "# Source: NLM-Chem corpus (Islamaj et al. 2021), CC0. Made by benchmarks/retrain/annotated_names.py.\n"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    given = parser.parse_args()
    counts = Counter(tidy(name) for name in marked(given.data / "nlmchem" / "traindev-mentions.tar.gz"))
    lines = (f"{name}\t{count}\n" for name, count in sorted(counts.items()) if name)
    OUT.write_text(HEADER + "".join(lines), "utf-8")
    print(f"{len(counts)} names of {sum(counts.values())} mentions in {OUT.name}")


def marked(archive: Path) -> list[str]:
    """The text of each mention in the archive. A line has article, two numbers, mention and identifiers."""
    names: list[str] = []
    with tarfile.open(archive) as members:
        for member in members:
            stream = members.extractfile(member)
            if stream is not None and member.name.endswith(".concept"):
                names += [line.split("||")[3] for line in stream.read().decode("utf-8").splitlines() if line]
    return names


if __name__ == "__main__":
    main()
