"""The cases of pairs in tests that go over all commands and corpora (`companion_cases`)."""

COMMANDS = {
    "corpora pairs": ("corpora", "pairs", "{in}/a", "--parts", "--lexicon", "starter", "-o", "{work}/out"),
}
TRAINING = {
    "train pairs": (
        *("train", "pairs", "{in}/pairs.jsonl", "--lexicon", "{in}/names.tsv", "--dictionary", "off"),
        *("-o", "{work}/out.json"),
    ),
}
READING = {
    "pairs": ("pairs", "{in}/pairs.jsonl", "--lexicon", "{in}/names.tsv", "--encoder", "off"),
    "evaluate pairs": ("evaluate", "pairs", "{in}/pairs.jsonl", "{in}/pairs.jsonl", "--samples", "10"),
    **TRAINING,
}
OUT_FILES = {"pairs": ("corpora", "pairs", "a/all.json", "--lexicon", "starter")}
OUT_FOLDERS = {"pairs": ("corpora", "pairs", "a", "--parts", "--lexicon", "starter", "-o")}
PAGES = {"howto/word-in-context.md": ()}
CORPORA = {"biowic": ("biowic", {"pairs": 1000}), "biowic-resources": ("biowic", {})}
_PAIR = (
    '{"term1": "aspirin", "sentence1": "He took aspirin.", "start1": 8, "end1": 15,'
    ' "term2": "ASA", "sentence2": "ASA was given.", "start2": 0, "end2": 3}\n'
)
WITHOUT_EXTRAS = {
    "pairs": (("pairs", "-"), _PAIR),
    "pairs with vectors": (("pairs", "-", "--encoder", "default"), _PAIR),
}
DOCS = ("howto/word-in-context.md", "reference/pairs.md", "measurements/pairs.md")
WRITING = {"corpora pairs": ("a", "--lexicon", "starter"), "train pairs": ("a",)}
WRITING_FILES = {"corpora pairs": (), "train pairs": ()}
REPLACING = {"pairs": (("corpora", "pairs", "a", "--lexicon", "starter", "--out"), "out.tsv")}
SEVERAL_MEANINGS = dict.fromkeys(("encoder", "model", "predicted"))
