"""Every path gives the bytes of the portable one, also those for other processors, and stays in its arrays."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
KERNEL = HERE.parents[3] / "nlmchem" / "tagging" / "kernel"
FLAGS = ("-O1", "-std=c++17", "-ffp-contract=off", "-fno-math-errno", "-w", f"-I{KERNEL}", f"-I{HERE}")
X86 = ("kernel.cpp", "portable.cpp", "avx2.cpp", "avx512.cpp", "avx512_amx.cpp")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("compiler", "flags", "sources", "run", "found"),
    [
        # Optimization doubles the time of the compiler here, and the sanitizers check the same accesses without it.
        pytest.param(
            "g++", ("-O0", "-fsanitize=address,undefined"), (*X86, "neon.cpp"), (), "portable", id="sanitizers"
        ),
        pytest.param(
            "g++", ('-DNLMCHEM_SIMDE="simde_avx512.h"',), ("portable.cpp", "avx512.cpp"), (), "avx512-vnni", id="avx512"
        ),
        pytest.param(
            "aarch64-linux-gnu-g++", ("-static",), ("portable.cpp", "neon.cpp"), ("qemu-aarch64", "-cpu", "max"),
            "neon", id="neon",
        ),
    ],
)  # fmt: skip
def test_a_path_gives_the_bytes_of_the_portable_one(
    compiler: str, flags: tuple[str, ...], sources: tuple[str, ...], run: tuple[str, ...], found: str, tmp_path: Path
) -> None:
    for program in (compiler, *run[:1]):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    if "-DNLMCHEM_SIMDE" in "".join(flags) and not Path("/usr/include/simde/x86/avx512.h").is_file():
        pytest.skip("SIMDe is not installed (libsimde-dev)")
    files = [HERE / "compare_paths.cpp", *(KERNEL / name for name in sources)]
    subprocess.run([compiler, *FLAGS, *flags, "-o", tmp_path / "compare", *files], check=True)
    done = subprocess.run([*run, tmp_path / "compare", "8"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert found in done.stdout
    assert done.stdout.endswith("equal\n")
