"""The cases of studies in tests that go over all commands (`companion_cases`)."""

COMMANDS = {
    "corpora augment": ("corpora", "augment", "{in}/a", "--mode", "random", "-o", "{work}/out.xml"),
    "corpora distant": ("corpora", "distant", "{in}/a", "-o", "{work}/out.pubtator"),
}
TRAINING = {"train mean": ("train", "mean", "{in}/tagger-0", "{in}/tagger-1", "-o", "{work}/out")}
OUT_FILES = {
    "augment": ("corpora", "augment", "a/all.json", "--mode", "random"),
    "distant": ("corpora", "distant", "a/all.json"),
}
FILLING = {"augment": ("corpora", "augment", "{in}", "--mode", "random", "-o", "{disk}/out.xml")}
SENTENCES_WITHOUT_EXTRAS = {
    "train mean": (("train", "mean", "{model}", "{model}", "-o", "out"), "averaging taggers", "train"),
}
WRITING = {
    "corpora augment": ("a", "--mode", "random"),
    "corpora distant": ("a",),
    "train mean": ("a", "b"),
}
WRITING_FILES = {"corpora augment": (), "corpora distant": ()}
REPLACING = {"augment": (("corpora", "augment", "a", "--mode", "random", "--out"), "out.jsonl")}
SEVERAL_MEANINGS = dict.fromkeys(("copies",))
