# An image that annotates on CPUs without a network. docs/howto/containers.md shows how to build and use it.
# `make dist` writes the wheel that it installs.
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

COPY dist/nlmchem-*.whl ./
COPY examples examples
# Extras of pyproject.toml, for example "[models,parquet]".
ARG EXTRAS=""
RUN pip install --constraint constraints.txt "./$(ls nlmchem-*.whl)${EXTRAS}" \
 && useradd --system --no-create-home --uid 10001 nlmchem \
 && install -d -o nlmchem "$NLMCHEM_HOME" /work

# This run shows that the image works for its user. It also unpacks the lexicon.
USER 10001
RUN nlmchem annotate /build/examples --exclude "*/plugin/*" -o /tmp/check \
 && rm -rf /tmp/check \
 && chmod -R a+rX,a-w "$NLMCHEM_HOME"

WORKDIR /work
ENTRYPOINT ["nlmchem"]
CMD ["--help"]
