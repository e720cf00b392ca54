"""Print MetricX's scores, one a line: metricx.py SOURCE HYPOTHESIS REFERENCE, each a text file.

Runs `metricx24.predict` of https://github.com/google-research/metricx, which must be importable."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

OPTIONS = [
    *("--tokenizer", "google/mt5-xl"),
    *("--model_name_or_path", "google/metricx-24-hybrid-large-v2p6"),
    *("--max_input_length", "1536"),
    *("--batch_size", "1"),
]
NAMES = ("source", "hypothesis", "reference")

texts = [Path(path).read_text(encoding="utf-8").splitlines() for path in sys.argv[1:]]
with tempfile.TemporaryDirectory() as folder:
    segments = [
        dict(zip(NAMES, of_segment, strict=True)) for of_segment in zip(*texts, strict=True)
    ]
    given = Path(folder, "input.jsonl")
    given.write_text("".join(json.dumps(segment) + "\n" for segment in segments), encoding="utf-8")
    predicted = Path(folder, "output.jsonl")
    files = ["--input_file", str(given), "--output_file", str(predicted)]
    command = [sys.executable, "-m", "metricx24.predict", *OPTIONS, *files]
    subprocess.run(command, check=True, stdout=sys.stderr)
    for line in predicted.read_text(encoding="utf-8").splitlines():
        print(json.loads(line)["prediction"])
