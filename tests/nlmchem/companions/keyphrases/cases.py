"""The cases of keyphrases in tests that go over all commands, options and corpora (`companion_cases`)."""

OPTIONS = {"keyphrase_model": "default", "keyphrase_threshold": 0.1}
COMMANDS = {
    "train keyphrases": ("train", "keyphrases", "{in}/keys", "--trees", "2", "--folds", "2", "-o", "{work}/out.json"),
}
READING = {
    "keyphrases": ("keyphrases", "{in}", "--json"),
    "keyphrases explain": ("keyphrases", "explain", "{in}/keys"),
    "evaluate keyphrases": ("evaluate", "keyphrases", "{in}/keys", "{in}/keys"),
}
OUT_FILES = {"train keyphrases": ("train", "keyphrases", "a/all.json")}
PAGES = {"howto/keyphrases.md": ()}
CORPORA = {"semeval2010": ("keyphrases", {"articles": 144})}
WITHOUT_EXTRAS = {"keyphrases": (("keyphrases", "out"), "")}
DOCS = ("howto/keyphrases.md", "reference/keyphrases.md", "measurements/keyphrases.md")
WRITING = {"train keyphrases": ("a",)}
WRITING_FILES = {"train keyphrases": ()}
SEVERAL_MEANINGS = dict.fromkeys(("model", "number", "predicted", "reasons"))
