#!/usr/bin/env bash
# Trains PubMedBERT as a tagger of chemicals, in stages; scores it on the test set of the NLM-Chem track; writes a
# submission. docs/howto/pubmedbert.md explains the settings. Run it again after an interruption: it continues.
#
#     OUT=pubmedbert DEVICE=cuda MEMORY=16 SILVER_IDS=ids.txt examples/pubmedbert/run.sh
set -euo pipefail

OUT=${OUT:-pubmedbert}              # folder of all results
DEVICE=${DEVICE:-cuda}              # cuda, cuda:1, or cpu
GPUS=${GPUS:-1}                     # GPUs that train together
MEMORY=${MEMORY:-16}                # GB of one GPU
PRECISION=${PRECISION:-}            # bfloat16, float16 (T4, V100), float32; empty: chosen by nlmchem
SILVER_IDS=${SILVER_IDS:-}          # file with ids of open-access articles; empty: no silver stage
TEAM=${TEAM:-999}                   # number of your team, for the submission
MIRROR=${MIRROR:-}                  # address that replaces those of the publishers
BASE=${BASE:-}                      # folder of another encoder; empty: PubMedBERT is downloaded
SMALL=${SMALL:-}                    # not empty: tiny windows and batches, to rehearse the script in a minute

DATA=${NLMCHEM_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/nlmchem}
mkdir -p "$OUT"

# A step runs once: its last act is to write OUT/NAME.done.
step() {
    local name=$1
    shift
    if [ -e "$OUT/$name.done" ]; then
        echo "$name: complete"
        return
    fi
    echo "$name: begins"
    "$@"
    touch "$OUT/$name.done"
}

# Windows of 256 pieces; 8,192 pieces in a batch for each memory, computed in as many parts as fit.
case $MEMORY in
    8) parts=8 ;;
    16) parts=4 ;;
    *) parts=2 ;;
esac
training=(--letter-case --gazetteer --window 256 --batch 8192 --accumulate "$parts" --rules none --device "$DEVICE")
if [ -n "$SMALL" ]; then
    training=(--letter-case --gazetteer --window 64 --batch 128 --accumulate 2 --rules none --device "$DEVICE")
fi
if [ -n "$PRECISION" ]; then training+=(--precision "$PRECISION"); fi
train=(nlmchem train tagger)
if [ "$GPUS" -gt 1 ]; then train=(torchrun --nproc-per-node "$GPUS" --no-python "${train[@]}"); fi

# The names of the corpora as they are downloaded. Nothing of the test set is trained on.
abstracts=(
    "track-chemdner/train=$DATA/chemdner" "track-chemdner/dev=$DATA/chemdner" "track-cdr/train=$DATA/cdr"
    "track-cdr/dev=$DATA/cdr" "biored/train=$DATA/biored" "biored/dev=$DATA/biored"
    "drugprot/train=$DATA/drugprot" "drugprot/dev=$DATA/drugprot"
)
target="nlmchem=$DATA/nlmchem"
test="nlmchem-test=$DATA/nlmchem-test"
guidelines=track-cdr,biored,drugprot

# as ROLE: the abstracts as arguments of a training.
as() { for corpus in "${abstracts[@]}"; do printf '%s\0%s\0' "$1" "$corpus"; done; }
mapfile -d '' first < <(as --first)
mapfile -d '' replay < <(as --replay)

download() {
    local mirror=() name
    if [ -n "$MIRROR" ]; then mirror=(--mirror "$MIRROR"); fi
    for name in nlmchem nlmchem-test chemdner cdr biored drugprot; do
        nlmchem fetch "$name" "${mirror[@]}"
    done
    if [ -z "$BASE" ]; then nlmchem fetch pubmedbert; fi
    if [ -n "$SILVER_IDS" ]; then nlmchem fetch pmc --ids "$SILVER_IDS" -o "$OUT/articles" "${mirror[@]}" || [ $? = 3 ]; fi
}

# 1. Abstracts. CHEMDNER follows the guidelines of the target, because it is the largest corpus and the nearest.
train_first() {
    "${train[@]}" --base "${BASE:-$DATA/pubmedbert}" -o "$OUT/first" "${first[@]}" --leave-out "$test" \
        --leave-out "$target" --guidelines "$guidelines" --first-rate 5e-5 --first-passes 2 --seeds 1 "${training[@]}"
}

# 2. A decision of its own: the model of the stage has seen no annotation of NLM-Chem.
decide() { nlmchem train decision "$target" --leave-out "$test" --tagger "$1" --floor 0.5 -o "$2"; }

# 3. Silver articles: tagged by the stage before and its decision.
tag_silver() {
    nlmchem annotate "$OUT/articles" -o "$OUT/silver-articles" --steps abbreviate,tag --tagger "$stage" \
        --decision "$OUT/first.json" --device "$DEVICE" --existing replace
}
train_silver() {
    "${train[@]}" --base "$stage" -o "$OUT/silver" --corpus "$OUT/silver-articles" "${replay[@]}" \
        --leave-out "$test" --leave-out "$target" --replayed 6000 --guidelines "$guidelines,track-chemdner" \
        --rate 3e-5 --passes 1 --seeds 1 "${training[@]}"
}

# 4. NLM-Chem, and the mean with the stage before.
train_target() {
    "${train[@]}" --base "$stage" -o "$OUT/target" --corpus "$target" "${replay[@]}" --leave-out "$test" \
        --replayed 400 --guidelines "$guidelines,track-chemdner" --rate 3e-5 --passes 2 --seeds 2 "${training[@]}"
}
average() {
    rm -rf "$OUT/model"
    nlmchem train mean "$OUT/target/seed-2/all/model" "$stage" -o "$OUT/model"
}

# 5. The test set: annotate, score as the track does, write the file.
annotate_test() {
    nlmchem annotate "$OUT/gold.xml" -o "$OUT/annotated" --tagger "$OUT/model" --decision "$OUT/decision.json" \
        --device "$DEVICE" --existing replace
}
score() {
    nlmchem evaluate spans "$OUT/gold.xml" "$OUT/annotated" --approximate | tee "$OUT/scores.txt"
    nlmchem evaluate identifiers "$OUT/gold.xml" "$OUT/annotated" | tee -a "$OUT/scores.txt"
}
submit() {
    nlmchem submit "$OUT/annotated" --reference "$OUT/gold.xml" --task identification --team "$TEAM" --run 1 \
        -o "$OUT/submission"
}

step download download
step first train_first
stage=$OUT/first/seed-1/first/model
step first-decision decide "$stage" "$OUT/first.json"
if [ -n "$SILVER_IDS" ]; then
    step silver-articles tag_silver
    step silver train_silver
    stage=$OUT/silver/seed-1/all/model
fi
step decision decide "$stage" "$OUT/decision.json"
step target train_target
step mean average
step gold nlmchem convert "$DATA/nlmchem-test" "$OUT/gold.xml" --include '*.BioC.json*'
step annotate annotate_test
step score score
step submit submit
echo "the model is in $OUT/model, its decision in $OUT/decision.json, the scores in $OUT/scores.txt"
