"""The memory at hand: the least of machine, control group and address space."""

import resource

import pytest

from oddlearn.streaming import available_memory
from oddlearn.streaming.available_memory import DEFAULT_BYTES, available_bytes


def control_group(monkeypatch, folder, limit, used):
    (folder / "max").write_text(f"{limit}\n")
    (folder / "current").write_text(f"{used}\n")
    absent = (str(folder / "absent"), str(folder / "absent"))
    monkeypatch.setattr(
        available_memory, "CGROUP_FILES", (absent, (str(folder / "max"), str(folder / "current")))
    )


def only(monkeypatch, name):
    for other in {"_machine", "_control_group", "_address_space"} - {name}:
        monkeypatch.setattr(available_memory, other, lambda: None)


def test_a_control_group_leaves_its_limit_less_what_is_used(monkeypatch, tmp_path):
    only(monkeypatch, "_control_group")
    control_group(monkeypatch, tmp_path, 5000, 1200)
    assert available_bytes() == 3800
    control_group(monkeypatch, tmp_path, 1000, 1200)
    assert available_bytes() == 0


@pytest.mark.parametrize("limit", ["max", "no number"])
def test_a_control_group_without_a_limit_limits_nothing(monkeypatch, tmp_path, limit):
    only(monkeypatch, "_control_group")
    control_group(monkeypatch, tmp_path, limit, 1200)
    assert available_bytes() == DEFAULT_BYTES


def test_the_first_files_that_can_be_read_tell_the_limit(monkeypatch, tmp_path):
    only(monkeypatch, "_control_group")
    for name, content in (("newer", "max"), ("older", "5000"), ("used", "1200")):
        (tmp_path / name).write_text(content)
    files = tuple((str(tmp_path / name), str(tmp_path / "used")) for name in ("newer", "older"))
    monkeypatch.setattr(available_memory, "CGROUP_FILES", files)
    assert available_bytes() == DEFAULT_BYTES
    monkeypatch.setattr(available_memory, "CGROUP_FILES", files[::-1])
    assert available_bytes() == 3800


def test_a_limit_of_the_address_space_counts_what_is_taken(monkeypatch):
    only(monkeypatch, "_address_space")
    monkeypatch.setattr(resource, "getrlimit", lambda what: (2**50, resource.RLIM_INFINITY))
    assert 2**49 < available_bytes() < 2**50
    monkeypatch.setattr(resource, "getrlimit", lambda what: (resource.RLIM_INFINITY, 2**50))
    assert available_bytes() == DEFAULT_BYTES


def test_the_machine_tells_kibibytes(monkeypatch):
    only(monkeypatch, "_machine")
    monkeypatch.setattr(
        available_memory.Path, "read_text", lambda self: "MemTotal: 9 kB\nMemAvailable:   7 kB\n"
    )
    assert available_bytes() == 7 * 1024


def test_the_least_of_all_limits_holds(monkeypatch):
    monkeypatch.setattr(available_memory, "_machine", lambda: 300)
    monkeypatch.setattr(available_memory, "_control_group", lambda: 200)
    monkeypatch.setattr(available_memory, "_address_space", lambda: 400)
    assert available_bytes() == 200


def test_a_machine_without_its_files_tells_its_pages(monkeypatch):
    def absent(self):
        raise FileNotFoundError

    monkeypatch.setattr(available_memory.Path, "read_text", absent)
    monkeypatch.setattr(available_memory.os, "sysconf_names", {"SC_PHYS_PAGES": 1, "SC_PAGE_SIZE": 2})
    monkeypatch.setattr(available_memory.os, "sysconf", lambda name: {"SC_PHYS_PAGES": 30}.get(name, 7))
    assert available_memory._machine() == 210
    monkeypatch.setattr(resource, "getrlimit", lambda what: (5000, 9000))
    assert available_memory._address_space() == 5000
    monkeypatch.setattr(available_memory.os, "sysconf_names", {})
    assert available_memory._machine() is None


def test_a_machine_that_tells_something_else_tells_nothing(monkeypatch):
    monkeypatch.setattr(available_memory.Path, "read_text", lambda self: "MemTotal: 9 kB")
    assert available_memory._machine() is None


def test_the_pages_of_this_process_are_taken_off(monkeypatch):
    monkeypatch.setattr(available_memory.Path, "read_text", lambda self: "3 2 1")
    monkeypatch.setattr(resource, "getrlimit", lambda what: (10 * resource.getpagesize(), 0))
    assert available_memory._address_space() == 7 * resource.getpagesize()
