# The pinned environment and the workflow: docker build -t mt-difficulty .
# docker run --rm -v "$PWD:/work" mt-difficulty --cores 2 --configfile mine.yaml
# With CUDA's PyTorch: docker build --build-arg TORCH=cu130 ..., docker run --gpus all ...
# Not tried yet: no image has been built from this file, neither for CPUs nor for CUDA.
FROM python:3.12.12-slim-bookworm

WORKDIR /opt/mt-difficulty
ARG TORCH=cpu
COPY envs/requirements.txt envs/requirements.txt
RUN pip install --no-cache-dir --extra-index-url https://download.pytorch.org/whl/$TORCH \
    -r envs/requirements.txt
COPY . .
RUN pip install --no-cache-dir --no-deps . && chmod -R a+rX .

# Results, downloads and a config of one's own are in the folder that is mounted here.
WORKDIR /work
ENV HOME=/tmp
ENTRYPOINT ["snakemake", "--snakefile", "/opt/mt-difficulty/workflow/Snakefile", \
    "--workflow-profile", "/opt/mt-difficulty/workflow/profiles/default"]
CMD ["--help"]
