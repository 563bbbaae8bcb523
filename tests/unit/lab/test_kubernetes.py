# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""deploy/kubernetes: each document fits Kubernetes's schema and our rules. The containers run commands of rtstone."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from rtstone.cli import main
from rtstone.errors import BoundExceeded, IncompleteError, InfrastructureError, UsageError
from rtstone.lab.command import _all_of, _read

FOLDER = Path(__file__).resolve().parents[3] / "deploy" / "kubernetes"
FILES = sorted(FOLDER.glob("*.yaml"))
VERSION = "1.30"
"""podFailurePolicy is stable from here on (1.31), and enabled by default from 1.26."""
MEASURES = {"gate", "worker"}


def _documents(file: Path) -> list[dict[str, Any]]:
    return [document for document in yaml.safe_load_all(file.read_text(encoding="utf-8")) if document]


DOCUMENTS = [
    pytest.param(document, id=f"{file.stem}-{document['kind']}") for file in FILES for document in _documents(file)
]


def _jobs() -> Iterator[dict[str, Any]]:
    for file in FILES:
        for document in _documents(file):
            if document["kind"] == "Job":
                yield document["spec"]
            elif document["kind"] == "CronJob":
                yield document["spec"]["jobTemplate"]["spec"]


def _templates() -> Iterator[dict[str, Any]]:
    yield from (job["template"] for job in _jobs())
    for file in FILES:
        yield from (one["spec"]["template"] for one in _documents(file) if one["kind"] == "DaemonSet")


def _containers() -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """By a container's name: its pod's template, and itself."""
    return {one["name"]: (template, one) for template in _templates() for one in template["spec"]["containers"]}


def test_there_is_what_the_page_names() -> None:
    kinds = [document["kind"] for file in FILES for document in _documents(file)]
    assert sorted(kinds) == ["ConfigMap", "ConfigMap", "CronJob", "DaemonSet", "Job"]
    assert set(_containers()) == {"gate", "worker", "nightly"}


@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.parametrize("version", [VERSION, kubernetes_validate.latest_version()])
def test_each_document_fits_the_schema(document: dict[str, Any], version: str) -> None:
    kubernetes_validate.validate(document, version, strict=True)
    document["metadata"]["nmae"] = "a key that there is not"
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(document, version, strict=True)
    del document["metadata"]["nmae"]


@pytest.mark.parametrize("name", ["gate", "worker", "nightly"])
def test_nothing_is_privileged(name: str) -> None:
    template, container = _containers()[name]
    pod = template["spec"]
    assert not {"hostPID", "hostNetwork", "hostIPC", "hostUsers"} & pod.keys()
    assert (pod["securityContext"]["runAsNonRoot"], pod["securityContext"]["runAsUser"]) == (True, 10001)
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert pod["automountServiceAccountToken"] is False
    own = container["securityContext"]
    assert own["readOnlyRootFilesystem"] is True
    assert own["capabilities"]["drop"] == ["ALL"]
    assert own["capabilities"].get("add", []) == (["SYS_NICE", "IPC_LOCK"] if name in MEASURES else [])
    assert own["allowPrivilegeEscalation"] is (name in MEASURES)  # for the capabilities of the engine's file
    assert "privileged" not in own
    paths = [volume["hostPath"] for volume in pod["volumes"] if "hostPath" in volume]
    assert paths == ([{"path": "/etc/machine-id", "type": "File"}] if name in MEASURES else [])
    mounts = {mount["mountPath"]: mount for mount in container["volumeMounts"]}
    assert {"/data", "/tmp"} <= mounts.keys()  # noqa: S108 - the root is read-only
    assert {mount["name"] for mount in mounts.values()} == {volume["name"] for volume in pod["volumes"]}
    assert name not in MEASURES or mounts["/etc/machine-id"]["readOnly"] is True


@pytest.mark.parametrize("name", ["gate", "worker", "nightly"])
def test_requests_equal_limits_and_measured_cpus_are_whole(name: str) -> None:
    _, container = _containers()[name]
    resources = container["resources"]
    assert resources["requests"] == resources["limits"]
    assert name not in MEASURES or int(resources["limits"]["cpu"]) >= 2


@pytest.mark.parametrize("name", sorted(MEASURES))
def test_a_measuring_pod_names_its_node_and_keeps_quota_and_interrupts_away(name: str) -> None:
    template, container = _containers()[name]
    assert template["metadata"]["annotations"] == {
        "cpu-quota.crio.io": "disable",
        "irq-load-balancing.crio.io": "disable",
        "cpu-load-balancing.crio.io": "disable",
    }
    environment = {variable["name"]: variable["valueFrom"] for variable in container["env"]}
    assert environment["RTSTONE_MACHINE"] == {"fieldRef": {"fieldPath": "spec.nodeName"}}


def _action(job: dict[str, Any], code: int) -> str:
    """The action of Kubernetes for a pod whose container ended with this code: the first rule that fits."""
    for rule in job["podFailurePolicy"]["rules"]:
        codes = rule.get("onExitCodes")
        if codes and (code in codes["values"]) == (codes["operator"] == "In"):
            return str(rule["action"])
    return "Count"


def test_the_gate_fails_at_once_where_another_try_would_change_nothing() -> None:
    (gate,) = (job for job in _jobs() if job["template"]["spec"]["containers"][0]["name"] == "gate")
    assert gate["template"]["spec"]["restartPolicy"] == "Never"  # which podFailurePolicy demands
    assert gate["backoffLimit"] > 0
    actions = {
        error: _action(gate, error.exit_code)
        for error in (BoundExceeded, UsageError, InfrastructureError, IncompleteError)
    }
    assert actions == {
        BoundExceeded: "FailJob",
        UsageError: "FailJob",
        InfrastructureError: "Count",
        IncompleteError: "Count",
    }
    assert gate["podFailurePolicy"]["rules"][0]["onPodConditions"] == [{"type": "DisruptionTarget", "status": "True"}]


def _data(kind: str) -> str:
    (text,) = (
        text
        for file in FILES
        for document in _documents(file)
        if document["kind"] == "ConfigMap"
        for name, text in document["data"].items()
        if name == kind
    )
    return str(text)


@pytest.mark.usefixtures("simulated_engine")
@pytest.mark.parametrize(("bound", "code"), [("max < 150us", 0), ("max < 100ns", 1)])
def test_what_the_gate_runs_ends_with_its_code_and_writes_its_verdict(
    tmp_path: Path, simulated_engine: Path, monkeypatch: pytest.MonkeyPatch, bound: str, code: int
) -> None:
    """The container's own words, on a kernel whose latencies are known."""
    monkeypatch.setenv("RTSTONE_ENGINE_SIMULATED", str(simulated_engine))
    gate = tmp_path / "gate.toml"
    text = _data("gate.toml")
    assert tomllib.loads(text)["measure"]["target"] == "local"
    shorter = {
        "count = 20000": "count = 2000",
        "repetitions = 5": "repetitions = 2",
        '"none", "cpu"': '"none"',
        "max < 150us": bound,
    }
    for long, short in shorter.items():
        assert long in text
        text = text.replace(long, short)
    gate.write_text(text)
    _, container = _containers()["gate"]
    summary = tmp_path / "termination-log"
    places = {"/etc/rtstone/gate.toml": str(gate), "/dev/termination-log": str(summary)}
    words = [places.get(word, word) for word in container["args"]]
    assert summary == Path(words[words.index("--summary") + 1])
    monkeypatch.setattr(
        "sys.argv", ["rtstone", *words, "-t", "simulated", "--archive", str(tmp_path / "a.sqlite"), "-q"]
    )
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == code
    assert summary.read_text().strip()


def test_the_nights_are_measurements_of_nodes(tmp_path: Path) -> None:
    file = tmp_path / "nightly.toml"
    file.write_text(_data("nightly.toml"))
    work = _all_of(_read(file), cpu=-1)
    assert {place for place, _ in work} == {"local@node-a", "local@node-b"}
    assert {one.target for _, one in work} == {"local"}
    _, nightly = _containers()["nightly"]
    _, worker = _containers()["worker"]
    assert nightly["args"][:2] == ["measure-all", "/etc/rtstone/nightly.toml"]
    assert worker["args"] == ["measure-all", "worker", "--place", "$(RTSTONE_MACHINE)"]
    secrets = [one["valueFrom"].get("secretKeyRef") for box in (nightly, worker) for one in box["env"]]
    assert [one for one in secrets if one] == [{"name": "rtstone-archive", "key": "url"}] * 2
