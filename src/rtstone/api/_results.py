# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What a query for results finds: a sequence of records, and the same by column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rtstone.archive import ResultRow

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_NAMES = tuple(ResultRow.__struct_fields__)


class Results(Sequence[ResultRow]):
    """Records, the last saved first. Times are nanoseconds for one operation; where nothing was measured, None (in columns: NaN)."""

    columns: tuple[str, ...] = tuple(name.rstrip("_") for name in _NAMES)
    """Names of the columns."""
    units: dict[str, str]
    """Unit of each column that has one."""

    def __init__(self, rows: Sequence[ResultRow]) -> None:
        self._rows = tuple(rows)
        self.units = {name: "ns" for name in self.columns if name.endswith("_ns")} | {"count": "samples"}

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[ResultRow]:
        return iter(self._rows)

    def __getitem__(self, index: Any) -> Any:
        return Results(self._rows[index]) if isinstance(index, slice) else self._rows[index]

    def column(self, name: str) -> npt.NDArray[Any]:
        """One column as a numpy array: floats, whole numbers, or text. Raises KeyError for a name that is not in `columns`."""
        import numpy as np

        values = [getattr(row, self._field(name)) for row in self._rows]
        if name.endswith("_ns"):
            return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
        return np.array(values, dtype=np.int64 if name == "count" else np.str_)

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """All columns as one structured array, its fields named as `columns`."""
        import numpy as np

        found = [self.column(name) for name in self.columns]
        made = np.empty(len(self), dtype=[(n, c.dtype) for n, c in zip(self.columns, found, strict=True)])
        for name, values in zip(self.columns, found, strict=True):
            made[name] = values
        return made

    def to_dict(self) -> dict[str, list[Any]]:
        """Lists by column, as other libraries take them: `pandas.DataFrame(results.to_dict())`."""
        return {name: [getattr(row, self._field(name)) for row in self._rows] for name in self.columns}

    def _field(self, name: str) -> str:
        if name not in self.columns:
            raise KeyError(f"no column '{name}'; there are {', '.join(self.columns)}")
        return "pass_" if name == "pass" else name

    def __repr__(self) -> str:
        return f"<rtstone.Results: {len(self)} of {len({row.run for row in self._rows})} runs>"
