"""Kill a run again and again, at random moments, and prove that nothing is lost and nothing done twice.

    python -m benchmarks.faults.kill_drill --kills 50 --articles 6000

The input is of both kinds: one collection with most of the articles, which goes through a part file,
and files of one article; one file cannot be read. Every kill is a kill -9 of the whole process group,
with one to three workers: one in four at a random moment after the start, the others at a random moment
after the run has finished its first articles, however loaded the machine is. A round ends when the run
comes to its end; a new round in a new folder begins then, until there were as many kills as asked for. What is
proved of each round:

* every byte of the output folder (manifest and ledger aside) equals that of an undisturbed run;
* no article was begun again after it was done or had failed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2] / "tests"
sys.path.insert(0, str(TESTS / "support"))

from article_events import VARIABLE, begun_again, done_again  # noqa: E402

# A tagger that waits as long as TEST_SLOW states, so that small articles keep workers busy.
PLUGIN = TESTS / "faults" / "misbehaving"


@dataclass
class Round:
    """One output folder, from the first kill to the end of the run."""

    kills: int = 0
    moments: list[float] = field(default_factory=list)
    workers: set[int] = field(default_factory=set)
    at_work: int = 0
    kept: int = 0
    begun_again: int = 0
    done_again: int = 0
    identical: bool = False


def _document(number: int) -> str:
    text = f"Article {number}: rats were given glucose and ethanol in water, then NaCl at {number} mM."
    return f"<document><id>{number}</id><passage><offset>0</offset><text>{text}</text></passage></document>"


def make_input(folder: Path, articles: int) -> None:
    """Four fifths of the articles in one collection, the others in files of their own."""
    folder.mkdir(parents=True)
    alone = articles // 5
    inner = "\n".join(_document(number) for number in range(articles - alone))
    (folder / "collection.xml").write_text(f"<collection><source>drill</source>\n{inner}\n</collection>")
    for number in range(articles - alone, articles):
        (folder / f"{number}.xml").write_text(f"<collection>{_document(number)}</collection>")
    (folder / "broken.xml").write_text("<collection><document>")


def tree(out: Path) -> dict[str, bytes]:
    """Every file under `out`, but for the manifest and the run's own state."""
    found = (path for path in out.rglob("*") if path.is_file())
    names = {str(path.relative_to(out)): path for path in found}
    return {name: path.read_bytes() for name, path in names.items() if not name.startswith(("manifest", ".nlmchem"))}


def command(source: Path, out: Path, workers: int) -> list[str]:
    start = "import sys; from nlmchem.cli import main; main()"
    call = ["annotate", str(source), "-o", str(out), "--workers", str(workers), "--json"]
    # Every step but the slow tagger: an undisturbed run takes seconds, and kills fall where articles change hands.
    return [sys.executable, "-c", start, *call, "--tagger", "lexicon"]


def run_and_kill(source: Path, out: Path, workers: int, slow: float, moment: float, from_work: bool) -> bool:
    """Whether it was killed `moment` seconds after its start, or its first work; False where it ended before."""
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(
        command(source, out, workers),
        env=environment(out, slow),
        start_new_session=True,
        stdout=nowhere,
        stderr=nowhere,
    )
    before = ended(out)
    while from_work and process.poll() is None and ended(out) == before:
        time.sleep(0.05)
    try:
        process.wait(moment)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True
    return False


def environment(out: Path, slow: float = 0.0) -> dict[str, str]:
    """The environment of a command that logs what it begins and finishes beside its output folder."""
    paths = [str(PLUGIN), str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "TEST_SLOW": str(slow), VARIABLE: str(log_of(out))}


def log_of(out: Path) -> Path:
    return out.with_name(f"events-of-{out.name}")


def ended(out: Path) -> int:
    """Articles that the ledger knows as done or failed; 0 where there is no ledger yet."""
    try:
        ledger = sqlite3.connect(f"file:{out}/.nlmchem/ledger.sqlite?mode=ro", uri=True)
        (number,) = ledger.execute("SELECT count(*) FROM article").fetchone()
        ledger.close()
        return int(number)
    except sqlite3.OperationalError:
        return 0


def drill(kills: int, articles: int, slow: float, longest: float, seed: int, folder: Path) -> list[Round]:
    """The rounds of a drill in an empty folder."""
    source, undisturbed = folder / "in", folder / "undisturbed"
    make_input(source, articles)
    whole = subprocess.run(command(source, undisturbed, 2), capture_output=True, text=True, check=False)
    assert whole.returncode == 3, whole.stderr
    expected = tree(undisturbed)
    moments = random.Random(seed)
    rounds: list[Round] = []
    left = kills
    while left:
        out = folder / f"round-{len(rounds)}"
        current = Round()
        rounds.append(current)
        while left:
            workers = moments.choice((1, 2, 3))
            before, from_work = ended(out), left % 4 != 0
            moment = moments.uniform(0.0, 1.0 if from_work else longest)
            if not run_and_kill(source, out, workers, slow, moment, from_work):
                break
            left -= 1
            current.kills += 1
            current.moments.append(moment)
            current.workers.add(workers)
            current.kept = ended(out)
            current.at_work += current.kept > before
        last = subprocess.run(
            command(source, out, 2), env=environment(out), capture_output=True, text=True, check=False
        )
        assert last.returncode == 3, last.stderr
        numbers = json.loads(last.stdout)
        assert numbers["input"] == articles + 1 == numbers["done"] + numbers["failed"] + numbers["skipped"]
        current.begun_again = begun_again(log_of(out))
        current.done_again = done_again(log_of(out), ("done", "failed"))
        current.identical = tree(out) == expected
    return rounds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--articles", type=int, default=6000)
    parser.add_argument("--slow", type=float, default=0.01, help="seconds that each article takes")
    parser.add_argument(
        "--longest", type=float, default=6.0, help="seconds from the start to the latest kill of that kind"
    )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="kill-drill-"))
    begun = time.monotonic()
    try:
        rounds = drill(options.kills, options.articles, options.slow, options.longest, options.seed, folder)
    finally:
        shutil.rmtree(folder)
    print("round  kills  workers  killed at (s)  with progress  done at last kill  begun again  done again  identical")
    for number, one in enumerate(rounds, 1):
        span = f"{min(one.moments):.2f}-{max(one.moments):.2f}" if one.moments else "-"
        workers = ",".join(map(str, sorted(one.workers)))
        print(
            f"{number:5}  {one.kills:5}  {workers:>7}  {span:>13}  {one.at_work:13}  {one.kept:17}"
            f"  {one.begun_again:11}  {one.done_again:10}  {'yes' if one.identical else 'NO'}"
        )
    total = sum(one.kills for one in rounds)
    print(f"{total} kills over {options.articles + 1} articles a round, {time.monotonic() - begun:.0f} s")
    if total != options.kills or any(one.done_again or not one.identical for one in rounds):
        sys.exit("the drill has failed")
    print("every output is byte-identical to an undisturbed run's; no finished article was begun again")


if __name__ == "__main__":
    main()
