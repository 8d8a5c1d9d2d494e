"""What a command that reads archives left out: members that are no game records, archives that cannot be read."""
from dataclasses import dataclass, field

from mugo.core.files import printable
from mugo.sgf.archives import ARCHIVE_SUFFIXES, UnreadableFile
from mugo.sgf.sources import Source

MAX_REFUSED = 10                         # archives that are named


@dataclass
class ReadReport:
    """others: how many members are no game records; example: one of them.  refused: a line for each archive that was
    not read, or not to its end."""

    others: int = 0
    example: str = ""
    refused: dict[str, None] = field(default_factory=dict)

    def add_other(self, source: Source, name: str) -> None:
        """Count a member of an archive that is no game record."""
        self.others += 1
        self.example = self.example or f"{source.label}/{name}"

    def add_unreadable(self, source: Source, file: UnreadableFile) -> None:
        """Note the file if it is an archive, or one in an archive."""
        if source.files is None and not file.name or file.name.lower().endswith(ARCHIVE_SUFFIXES):
            self.refused[f"{file.source}{file.name and '/' + file.name}: {printable(file.error)}"] = None

    def add(self, other: "ReadReport") -> None:
        """Add what another process left out."""
        self.others += other.others
        self.example = self.example or other.example
        self.refused |= other.refused

    def refusal(self) -> str:
        """Which archives were not read to their end, in one line; '' if there is none."""
        lines = list(self.refused)
        more = f"; and {len(lines) - MAX_REFUSED:,} more" if len(lines) > MAX_REFUSED else ""
        return "; ".join(lines[:MAX_REFUSED]) + more
