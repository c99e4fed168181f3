"""Recomputes the chain of an audit export, as `make audit` prints it: verify.py < export.json

hash = SHA-256 of the record without its hash, in the canonical form of RFC 8785. Records hold strings, booleans and
whole numbers only, whose canonical form is what json.dumps writes with sorted keys and no spaces. Names are ASCII.
"""
import hashlib
import json
import sys


def verify(trail):
    prev = "0" * 64
    for n, record in enumerate(trail["records"], 1):
        claimed = record.pop("hash")
        canonical = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        if record["prev_hash"] != prev:
            return f"record {n} ({record['id']}): the record before it is missing, or another"
        if hashlib.sha256(canonical.encode()).hexdigest() != claimed:
            return f"record {n} ({record['id']}): it was changed"
        prev = claimed
    head = trail["head"]
    if head["count"] != len(trail["records"]) or head["hash"] != prev:
        return f"record {head['count']}: it is missing at the end of the chain"
    return None


if __name__ == "__main__":
    wrong = verify(json.load(sys.stdin))
    print(wrong or "verified")
    sys.exit(1 if wrong else 0)
