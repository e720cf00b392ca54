# The pinned environment and the workflow: docker build -t mt-difficulty .
# docker run --rm -v "$PWD:/work" mt-difficulty --cores 2 --configfile mine.yaml
FROM python:3.12.12-slim-bookworm

WORKDIR /opt/mt-difficulty
COPY envs/requirements.txt envs/requirements.txt
RUN pip install --no-cache-dir --extra-index-url https://download.pytorch.org/whl/cpu \
    -r envs/requirements.txt
COPY . .
RUN pip install --no-cache-dir --no-deps . && chmod -R a+rX .

# Results, downloads and a config of one's own are in the folder that is mounted here.
WORKDIR /work
ENV HOME=/tmp
ENTRYPOINT ["snakemake", "--snakefile", "/opt/mt-difficulty/workflow/Snakefile"]
CMD ["--help"]
