"""Results on disk, a line per run, so that an interrupted measurement goes on where it was."""

import json


class Store:
    """runs[(cell name, peer name, round)] is a result, None (unsupported) or {"failure": why};
    the round "counted" is the run whose futex calls the kernel counted."""

    def __init__(self, path, signature, fresh):
        self.path = path
        self.signature = signature
        self.runs = {}
        self.resumed = 0
        if not fresh and path.exists():
            self._load()
        if not self.runs:
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(json.dumps({"signature": signature}) + "\n")

    def _load(self):
        with open(self.path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        try:
            if json.loads(lines[0])["signature"] != self.signature:
                return
            for line in lines[1:]:
                row = json.loads(line)
                self.runs[(row["cell"], row["peer"], row["round"])] = row["result"]
        except (IndexError, KeyError, ValueError):
            # The last line may be cut off; what was read before it counts.
            pass
        self.resumed = len(self.runs)

    def __contains__(self, key):
        return key in self.runs

    def add(self, cell, peer, turn, result):
        self.runs[(cell.name, peer.name, turn)] = result
        row = {"cell": cell.name, "peer": peer.name, "round": turn, "result": result}
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def finish(self):
        """The next measurement begins anew; the runs stay for whoever wants to look at them."""
        self.path.replace(self.path.with_name("runs-complete.jsonl"))
