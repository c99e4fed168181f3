"""Writes reference.jsonl and the tiny model, by the sentence-transformers library.

    python3 -m venv venv && venv/bin/pip install torch sentence-transformers
    venv/bin/python internal/model/minilm/testdata/reference.py .cache/minilm

A line holds a text, its tokens and its vector (384 little-endian floats, in base64). The tiny model has the same
architecture with random weights, so that the layers are proved where the real weights are not.
"""
import base64, json, os, sys
import numpy as np
import torch
from safetensors.torch import save_file
from sentence_transformers import SentenceTransformer
from tokenizers import BertWordPieceTokenizer
from transformers import BertConfig, BertModel

here = os.path.dirname(os.path.abspath(__file__))
texts = open(os.path.join(here, "texts.txt"), encoding="utf-8").read().split("\n")[:-1]
texts.append("The quick brown fox jumps over the lazy dog near the harbour. " * 30)  # cut at 256 tokens
texts.append("a" * 101 + " " + "b" * 100)  # longer than a word may be, and just not


def line(text, ids, vector):
    raw = base64.b64encode(np.asarray(vector, dtype="<f4").tobytes()).decode()
    return json.dumps({"text": text, "tokens": list(map(int, ids)), "vector": raw}, ensure_ascii=False) + "\n"


def real(directory):
    model = SentenceTransformer(directory, device="cpu")
    tokenizer = BertWordPieceTokenizer(os.path.join(directory, "vocab.txt"))
    tokenizer.enable_truncation(256)
    with open(os.path.join(here, "reference.jsonl"), "w", encoding="utf-8") as out:
        for text in texts:
            out.write(line(text, tokenizer.encode(text).ids, model.encode([text])[0]))


def tiny():
    torch.manual_seed(1)
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "gaming", "laptop", "##s", "under", "2000", "$", "a", "i", "need", "##ed", "for", "light", "est", "##est"]
    with open(os.path.join(here, "tiny", "vocab.txt"), "w") as out:
        out.write("\n".join(pieces) + "\n")
    config = BertConfig(vocab_size=len(pieces), hidden_size=24, num_hidden_layers=2, num_attention_heads=12, intermediate_size=40, max_position_embeddings=12)
    model = BertModel(config).eval()
    for p in model.parameters():
        torch.nn.init.normal_(p, std=0.5)
    weights = {k: v for k, v in model.state_dict().items() if not k.startswith("pooler")}
    save_file(weights, os.path.join(here, "tiny", "model.safetensors"))
    tokenizer = BertWordPieceTokenizer(os.path.join(here, "tiny", "vocab.txt"))
    tokenizer.enable_truncation(12)
    with open(os.path.join(here, "tiny", "reference.jsonl"), "w", encoding="utf-8") as out:
        for text in ["I need a gaming laptop under $2000", "Laptops!", "the lightest", "needed " * 20]:
            ids = tokenizer.encode(text).ids
            with torch.no_grad():
                mean = model(input_ids=torch.tensor([ids])).last_hidden_state[0].mean(0)
            out.write(line(text, ids, torch.nn.functional.normalize(mean, dim=0)))


os.makedirs(os.path.join(here, "tiny"), exist_ok=True)
tiny()
real(sys.argv[1])
