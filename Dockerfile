# An image that annotates on CPUs without a network. docs/howto/containers.md shows how to build and use it.
FROM python:3.11-slim

# The lexicon is unpacked here while the image is built; containers only read it.
ENV NLMCHEM_HOME=/opt/nlmchem PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1

WORKDIR /build
COPY constraints.txt ./
# The address of PyTorch's index of CPU builds (see "Get started" of pytorch.org). Without it, pip installs the build
# that its own index has, which is several times as large.
ARG TORCH_INDEX=""
RUN grep -i "^torch==" constraints.txt > torch.txt \
 && pip install ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} --requirement torch.txt

COPY pyproject.toml README.md LICENSE NOTICE ./
COPY corpora corpora
COPY sieves sieves
COPY indexing indexing
COPY ensemble ensemble
COPY nlmchem nlmchem
COPY examples examples
# Extras of pyproject.toml, for example "[models,parquet]".
ARG EXTRAS=""
# The last command shows that the image works; it also unpacks the lexicon.
# The compiler is needed for the kernel only (docs/reference/speed.md).
RUN apt-get update \
 && apt-get install --yes --no-install-recommends g++ \
 && pip install --constraint constraints.txt ".${EXTRAS}" \
 && apt-get purge --yes --auto-remove g++ \
 && rm -rf /var/lib/apt/lists \
 && cd / \
 && nlmchem annotate /build/examples -o /tmp/check \
 && rm -rf /build /tmp/check \
 && chmod -R a+rX "$NLMCHEM_HOME"

USER nobody
WORKDIR /work
ENTRYPOINT ["nlmchem"]
CMD ["--help"]
