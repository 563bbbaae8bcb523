# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The published figures: counted and spot-checked against the papers, and damage to them reported."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from rtstone.errors import InfrastructureError, UsageError
from rtstone.studies import reference

if TYPE_CHECKING:
    from pathlib import Path

# Counted on the papers' pages: (rows, platforms, statistics) of each rectangular block of a table.
BLOCKS: dict[tuple[str, str], list[tuple[int, int, int]]] = {
    ("sscl", "1"): [(12, 4, 3)],  # 12 measurements, 4 kernels, min/max/avg; a lone * stands for all three
    ("sscl", "2"): [(2, 4, 3)],
    ("infn", "1"): [(6, 1, 1)],
    ("infn", "2"): [(4, 2, 1)],
    ("infn", "3"): [(4, 2, 1)],
    ("infn", "4"): [(5, 2, 1)],
    ("infn", "5"): [(5, 2, 1)],
    ("infn", "6"): [(5, 2, 1)],
    ("slac", "1"): [(2, 4, 3), (2, 4, 3)],  # 2 quantities, 4 systems, max/avg/sd; idle, then loaded
    ("spring8", "1"): [(6, 5, 1)],
    ("spring8", "2"): [(1, 3, 1)],
    ("spring8", "3"): [(1, 5, 2), (1, 5, 2)],  # 5 platforms, mean/SD; no load, then CPU load
    ("infn", "text"): [(8, 1, 1)],  # four ratings, the window's gain, and three of FDDI
    ("spring8", "figure1"): [
        (3, 1, 1),
        (1, 2, 1),
    ],  # three figures that the text gives in words; two bars without a height
    ("spring8", "text"): [(2, 1, 1)],
    ("aps", "1"): [(1, 8, 4), (1, 4, 4)],  # private, then public network; min/median/max/>100 µs
    ("aps", "2"): [(1, 5, 4), (1, 1, 4)],
    ("aps", "3"): [(1, 1, 4)],
    ("aps", "4"): [(1, 8, 4), (1, 4, 4)],
    ("aps", "5"): [(1, 8, 4), (1, 4, 4)],
}
PER_STUDY = {"sscl": 168, "infn": 60, "slac": 48, "spring8": 60, "aps": 172}

# Every cell that holds no number, and how many figures hold it.
WORDS = {
    ("sscl", "1", "*"): 9,
    ("infn", "2", "not applicable"): 2,
    ("infn", "6", "unmeasurably high"): 1,
    ("infn", "6", "seems 0%"): 1,
    ("infn", "text", "below 6"): 1,
    ("spring8", "figure1", "about 30"): 1,
    ("spring8", "figure1", "height lost"): 2,
    ("spring8", "text", "about 5-10"): 1,
    ("spring8", "text", "no address space dependency"): 1,
    ("aps", "1", "N/A"): 8,
    ("aps", "4", "N/A"): 8,
    ("aps", "5", "N/A"): 8,
}
SPRING8_WORDS = ("Maker", "Product", "CPU", "Bus")  # the rows of Table 1 that are words throughout

# The first and the last figure of each table, and those that are easy to get wrong.
SPOTS = """
sscl;1;Create/Delete Task;pSOS+;;min;540;µsec
sscl;1;Create/Delete Task;LynxOS;;avg;*;µsec
sscl;1;Alternate Queues Fill/Drain;LynxOS;;max;900;µsec
sscl;1;Deallocate Memory;VxWorks;;avg;83;µsec
sscl;2;Interrupt Service Response;pSOS+;;min;6;µsec
sscl;2;Interrupt Service Response;LynxOS;;max;88;µsec
sscl;2;Interrupt Task Response;VxWorks;;avg;125;µsec
infn;1;CPU register → VME;HP9000/742rt;1 VME cycle per transfer A24/D32, write;value;5.48;MB/s
infn;1;cache → cache;HP9000/742rt;block moves in on-board memory, read/write;value;38.10;MB/s
infn;2;Process creation;HP-RT on the 742rt;;value;370;forks/s
infn;2;Thread creation;HP-UX on 747;;value;not applicable;
infn;2;Context switching (of threads);HP-RT on the 742rt;;value;90.000;switches/s
infn;2;Signal intercepts (of processes);HP-UX on 747;;value;2850;signals/s
infn;3;Sender;HP-RT → HP-RT;same node, memory to memory, TCP;value;7.8;MB s
infn;3;CPU usage;HP-UX → HP-UX;same node, memory to memory, TCP;value;100;%
infn;4;Sender;RT → UX;Ethernet TCP;value;5.1;MB s
infn;4;Real transfer speed;UX → RT;Ethernet TCP;value;500;kByte/s
infn;4;CPU usage receiver;UX → RT;Ethernet TCP;value;5.3;%
infn;5;Sender;HP-RT → HP-RT;same node, memory to memory, UDP;value;26.0;MB s
infn;5;Protocol Reliability;HP-RT → HP-RT;same node, memory to memory, UDP;value;98;%
infn;5;Protocol Reliability;HP-UX → HP-UX;same node, memory to memory, UDP;value;100;%
infn;6;Sender;RT → UX;Ethernet UDP;value;unmeasurably high;
infn;6;CPU usage sender;RT → UX;Ethernet UDP;value;seems 0%;
infn;6;CPU usage receiver;UX → RT;Ethernet UDP;value;1;%
slac;1;Interrupt Latency;RTL;idle;max;13.5;µs
slac;1;Context Switching;RTEMS (pthreads);loaded;max;213.0;µs
slac;1;Context Switching;RTEMS (pthreads);loaded;avg;10.4;µs
slac;1;Context Switching;RTEMS;loaded;max;51.3;µs
slac;1;Context Switching;vxWorks;loaded;sd;3.2;µs
spring8;1;Maker;743rt;;specification;Hewlett-Packard;
spring8;1;Maker;V155;;specification;GMS;
spring8;1;Maker;XVME-658;;specification;Xycom;
spring8;1;Maker;Advme8001;;specification;Advanet;
spring8;1;Clock;Advme8001;;specification;600;MHz
spring8;1;Memory;V155;;specification;128;MB
spring8;1;Bus;PCISYS-56A;;specification;CompactPCI;
spring8;2;Interrupt response time;HP743rt/HP-RT;;value;16.7;msec
spring8;2;Interrupt response time;PCISYS-56A/Solaris 7;;value;15.3;msec
spring8;3;Context switching time;HP743rt/HP-RT;No load;mean;194.3;µsec
spring8;3;Context switching time;Xycom658/Solaris7 (RT-class);CPU load;sd;175.7;µsec
spring8;3;Context switching time;Advme8001/Solaris7 (RT-class);No load;mean;90.7;µsec
spring8;3;Context switching time;Xycom658/Linux (2.2.9);CPU load;mean;10050;µsec
spring8;3;Context switching time;Advme8001/Linux (2.2.9);No load;mean;21.9;µsec
spring8;3;Context switching time;Advme8001/Linux (2.2.9);CPU load;sd;1204;µsec
spring8;figure1;data transfer speed;743rt;READ and WRITE at D8, D16 and D32;normalised;1;arbitrary unit
spring8;figure1;data transfer speed;743rt;D8;typical;1.2;Mbytes/sec
aps;1;Interrupt Latency;Linux 2.4.30;private network;min;9;microseconds
aps;1;Interrupt Latency;vxWorks 5.5 net task has lower priority;private network;max;56;microseconds
aps;1;Interrupt Latency;RTEMS 4.6;private network;median;N/A;microseconds
aps;1;Interrupt Latency;RTEMS 4.6;public network;>100 µs;N/A;%
aps;2;Interrupt Top Half to Bottom Half Latency;Linux 2.4.30;private network;min;5;microseconds
aps;2;Interrupt Top Half to Bottom Half Latency;Linux 2.6.13 preemptive;public network;>100 µs;0.009;%
aps;3;Interrupt Bottom Half to User Level Interrupt Latency;Linux 2.6.13 preemptive with user level ISR;private network;min;91;microseconds
aps;3;Interrupt Bottom Half to User Level Interrupt Latency;Linux 2.6.13 preemptive with user level ISR;private network;>100 µs;41.612;%
aps;4;Context Switch Latency;Linux 2.4.30;private network;median;2;microseconds
aps;4;Context Switch Latency;vxWorks 5.5 net task has higher priority;public network;max;763;microseconds
aps;5;Total Response Latency;Linux 2.4.30;private network;max;1185;microseconds
aps;5;Total Response Latency;Linux 2.6.13 preemptive with user level ISR;private network;>100 µs;100.000;%
aps;5;Total Response Latency;vxWorks 5.5 net task has lower priority;public network;max;82;microseconds
""".strip().splitlines()


def test_counts_per_table() -> None:
    counted = Counter((figure.study, figure.table) for figure in reference.load())
    assert dict(counted) == {
        table: sum(rows * platforms * statistics for rows, platforms, statistics in blocks)
        for table, blocks in BLOCKS.items()
    }
    assert {study: len(reference.load(study)) for study in reference.studies()} == PER_STUDY


def test_every_table_has_a_caption_and_every_caption_figures() -> None:
    assert {(p.study, table) for p in reference.papers() for table in p.tables} == set(BLOCKS)


@pytest.mark.parametrize("spot", SPOTS)
def test_spot(spot: str) -> None:
    study, table, row, platform, condition, statistic, value, unit = spot.split(";")
    found = [
        figure
        for figure in reference.load(study)
        if (figure.table, figure.row, figure.platform) == (table, row, platform)
        and (figure.condition, figure.statistic) == (condition, statistic)
    ]
    assert [(figure.value, figure.unit) for figure in found] == [(value, unit)]


def test_words_stay_words_and_nothing_else_does() -> None:
    words = [
        figure
        for figure in reference.load()
        if figure.number() is None and not (figure.table == "1" and figure.row in SPRING8_WORDS)
    ]
    assert Counter((figure.study, figure.table, figure.value) for figure in words) == WORDS
    specification = [f for f in reference.load("spring8") if f.table == "1" and f.row in SPRING8_WORDS]
    assert len(specification) == len(SPRING8_WORDS) * 5
    assert all(figure.number() is None for figure in specification)


def test_no_value_is_empty_and_units_are_in_the_list() -> None:
    used = set()
    for figure in reference.load():
        assert figure.value.strip(), figure
        used.add(figure.unit)
        if figure.number() is not None:
            assert figure.unit, figure
    assert used - {""} == set(reference.units())


def test_a_dot_groups_thousands_only_where_whole_events_are_counted() -> None:
    differing = [f for f in reference.load() if f.number() is not None and f.number() != float(f.value)]
    assert [(f.study, f.table, f.value, f.number()) for f in differing] == [("infn", "2", "90.000", 90_000.0)]
    assert "thousands" in differing[0].note
    hundred = [f for f in reference.load("aps") if f.value == "100.000"]
    assert [f.number() for f in hundred] == [100.0]


def test_min_avg_and_max_are_in_order() -> None:
    """A transposed pair of cells would show here."""
    groups: dict[tuple[str, ...], dict[str, float]] = {}
    for f in reference.load():
        number = f.number()
        if f.statistic in {"min", "avg", "median", "max"} and number is not None:
            groups.setdefault((f.study, f.table, f.row, f.platform, f.condition), {})[f.statistic] = number
    sscl, slac = (12 * 4 - 3) + 2 * 4, 2 * 8  # less the three cells that are *
    aps = (12 - 2) + 6 + 1 + (12 - 2) + (12 - 2)  # less RTEMS, on both networks
    assert len(groups) == sscl + slac + aps
    for key, group in groups.items():
        ordered = [group[s] for s in ("min", "avg", "median", "max") if s in group]
        assert ordered == sorted(ordered), key


def test_doubtful_units_carry_a_note_and_a_reading() -> None:
    doubtful = [f for f in reference.load() if f.unit and reference.units()[f.unit].doubt]
    assert {(f.unit, f.symbol()) for f in doubtful} == {("msec", "µs"), ("MB s", "MB/s")}
    assert len([f for f in doubtful if f.unit == "msec"]) == 3
    assert all(f.note for f in doubtful)


def test_platforms_in_printed_order() -> None:
    assert reference.platforms("sscl", "1") == ("pSOS+", "VRTX32", "LynxOS", "VxWorks")
    assert reference.platforms("slac", "1") == ("RTL", "RTEMS (pthreads)", "RTEMS", "vxWorks")
    assert reference.platforms("spring8", "1") == ("743rt", "V155", "XVME-658", "Advme8001", "PCISYS-56A")
    assert reference.platforms("sscl", "9") == ()


def test_unknown_study() -> None:
    with pytest.raises(UsageError, match=r"'cern'.*sscl, infn, slac, spring8, aps"):
        reference.load("cern")


HEADER = "study,table,row,platform,condition,statistic,value,unit,note\n"
GOOD = "slac,1,Interrupt Latency,RTL,idle,max,13.5,µs,\n"


def test_good_file(tmp_path: Path) -> None:
    file = tmp_path / "slac.csv"
    file.write_text(HEADER + GOOD, encoding="utf-8")
    (figure,) = reference.load_file(file, "slac")
    assert (figure.value, figure.number(), figure.symbol()) == ("13.5", 13.5, "µs")


@pytest.mark.parametrize(
    ("text", "line", "complaint"),
    [
        (HEADER.replace("note", "remark") + GOOD, "line 1", "unknown column 'remark'"),
        (HEADER.replace(",note", "") + GOOD, "line 1", "columns must be"),
        ("", "line 1", "columns must be"),
        (HEADER + GOOD + GOOD.replace("13.5", ""), "line 3", "empty value"),
        (HEADER + GOOD.replace("13.5", " "), "line 2", "empty value"),
        (HEADER + GOOD.replace("13.5", "13.5 "), "line 2", "blanks"),
        (HEADER + GOOD.replace("RTL", ""), "line 2", "empty platform"),
        (HEADER + GOOD.replace("µs", "fortnights"), "line 2", "'fortnights' is not in units.toml"),
        (HEADER + GOOD.replace("slac", "aps"), "line 2", "study 'aps'"),
        (HEADER + GOOD + "\n", "line 3", "0 cells"),
        (HEADER + GOOD.replace(",idle", ""), "line 2", "8 cells"),
        (HEADER + GOOD + GOOD.replace("13.5", "14"), "line 3", "given twice"),
        (HEADER + GOOD.replace("13.5", '"13.5'), "line 2", "end of data"),
        (HEADER, "slac.csv", "no figures"),
    ],
)
def test_damage_is_named_by_file_and_line(tmp_path: Path, text: str, line: str, complaint: str) -> None:
    file = tmp_path / "slac.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InfrastructureError) as raised:
        reference.load_file(file, "slac")
    message = str(raised.value)
    assert "slac.csv" in message
    assert line in message
    assert complaint in message
    assert "\n" not in message


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError, match=r"slac\.csv"):
        reference.load_file(tmp_path / "slac.csv", "slac")
    latin = tmp_path / "latin.csv"
    latin.write_bytes(HEADER.encode() + GOOD.encode("latin-1"))
    with pytest.raises(InfrastructureError, match=r"latin\.csv"):
        reference.load_file(latin, "slac")
