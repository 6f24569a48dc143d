"""Results on disk, a line per run, so that an interrupted measurement goes on where it was."""

import json

FINISHED = "runs-complete.jsonl"


def _is_failure(run):
    return run is not None and "failure" in run


class Store:
    """runs[(cell name, peer name, round)] is a result, None (unsupported) or {"failure": why};
    the round "counted" is the run whose futex calls the kernel counted. A cell in which something
    failed is not taken over but measured again, with all peers: what was run at another time
    would not compare."""

    def __init__(self, path, signature, fresh, about=None):
        """about: what is to be kept of the moment when the measurement began."""
        self.path = path
        self.signature = signature
        self.about = about
        self.runs = {}
        self.resumed = 0
        self.forgotten = False  # an unfinished measurement of something else was there
        lines = self._load() if not fresh and path.exists() else []
        self.resumed = len(self.runs)
        if not lines:
            lines = [json.dumps({"signature": signature, "about": about})]
        # Written anew without what cannot be read, so that the next line does not join it.
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _load(self):
        """The lines that are fit to keep; none if they belong to another measurement."""
        kept, failed = [], set()
        try:
            for line in self.path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                if not kept:
                    if row["signature"] != self.signature:
                        self.forgotten = True
                        return []
                    self.about = row["about"]
                    kept.append((None, line))
                    continue
                if _is_failure(row["result"]):
                    failed.add(row["cell"])
                self.runs[(row["cell"], row["peer"], row["round"])] = row["result"]
                kept.append((row["cell"], line))
        except (KeyError, TypeError, ValueError):
            # An interrupted write left half a line; what was read before it counts.
            pass
        self.runs = {key: run for key, run in self.runs.items() if key[0] not in failed}
        return [line for cell, line in kept if cell not in failed]

    def __contains__(self, key):
        return key in self.runs

    def add(self, cell, peer, turn, result):
        self.runs[(cell.name, peer.name, turn)] = result
        row = {"cell": cell.name, "peer": peer.name, "round": turn, "result": result}
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def failed(self):
        return any(map(_is_failure, self.runs.values()))

    def finish(self):
        """The next measurement begins anew; the runs stay for later reports."""
        self.path.replace(self.path.with_name(FINISHED))

    @classmethod
    def finished(cls, folder):
        """The last measurement that came to its end there, not to be added to; None without one."""
        path = folder / FINISHED
        if not path.exists():
            return None
        with open(path, encoding="utf-8") as file:
            head = json.loads(file.readline())
        # A new object, since the constructor writes.
        result = cls.__new__(cls)
        result.path, result.signature, result.about = path, head["signature"], head["about"]
        result.runs, result.forgotten = {}, False
        result._load()
        return result
