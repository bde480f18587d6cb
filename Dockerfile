# An image that annotates on CPUs without a network. docs/howto/containers.md shows how to build and use it.
# `make dist` writes the wheel that it installs.
FROM python:3.11.14-slim-bookworm AS build

# The lexicon is unpacked here while the image is built; containers only read it.
ENV NLMCHEM_HOME=/opt/nlmchem PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
ENV PATH=/opt/venv/bin:$PATH

WORKDIR /build
COPY constraints.txt dist/nlmchem-*.whl ./
# Extras of pyproject.toml, for example "[models,parquet]". For torch, which some of them bring: the address of PyTorch's
# index of CPU builds (see "Get started" of pytorch.org). Without it, pip installs the build of its own index, which is
# several times as large.
ARG EXTRAS=""
ARG TORCH_INDEX=""
RUN python -m venv /opt/venv
RUN test -z "$TORCH_INDEX" || pip install --index-url "$TORCH_INDEX" "$(grep -i "^torch==" constraints.txt)"
RUN pip install --constraint constraints.txt "./$(ls nlmchem-*.whl)${EXTRAS}" \
 && useradd --system --no-create-home --uid 10001 nlmchem \
 && install -d -o nlmchem "$NLMCHEM_HOME"

# This run shows that the image works for its user. It also unpacks the lexicon.
COPY examples examples
USER 10001
RUN nlmchem annotate /build/examples --exclude "*/plugin/*" -o /tmp/check \
 && chmod -R a+rX,a-w "$NLMCHEM_HOME"

# The image: Python, the packages and the lexicon.
FROM python:3.11.14-slim-bookworm
ENV NLMCHEM_HOME=/opt/nlmchem PYTHONDONTWRITEBYTECODE=1 PATH=/opt/venv/bin:$PATH
COPY --from=build /opt/venv /opt/venv
COPY --from=build /opt/nlmchem /opt/nlmchem
RUN install -d -o 10001 /work
USER 10001
WORKDIR /work
ENTRYPOINT ["nlmchem"]
CMD ["--help"]
