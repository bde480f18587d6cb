// Annotates a folder of articles in parts, as a process each.
//
//     nextflow run examples/workflows/nlmchem.nf --articles pmc/ --out annotated/ --parts 4
//
// All parts write into one output folder, which must be reachable under the same path on all machines. A process that was
// ended continues where it stopped (`-resume`).

params.articles = null
params.out = 'annotated'
params.parts = 4
params.options = ''

process ANNOTATE {
    tag "part ${part} of ${params.parts}"
    cpus 4
    memory '4 GB'
    errorStrategy 'retry'
    maxRetries 3

    input:
    val part
    val articles
    val out

    output:
    path "manifest-*.json"

    // 3: some articles failed; they are in the quarantine of the output folder.
    script:
    """
    nlmchem annotate '${articles}' --out '${out}' --shard ${part}/${params.parts} --workers ${task.cpus} \\
        --format parquet --per-file 10000 ${params.options} || [ \$? -eq 3 ]
    cp '${out}'/manifest-${part}-of-${params.parts}.json .
    """
}

workflow {
    articles = file(params.articles, checkIfExists: true).toAbsolutePath().toString()
    out = file(params.out).toAbsolutePath().toString()
    ANNOTATE(Channel.of(1..params.parts), articles, out)
}
