# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# The commands of this repository; each one is a line that calls what does the work.
SHELL := /bin/bash
BIN := .venv/bin
STUDIES ?= sscl,rhealstone,spring8
PROFILE ?= quick
REPORT ?= out/report.html
BOARDS ?= '*/*'
RUNS ?= 24
MINUTES ?= 10
MANDIR ?= $(HOME)/.local/share/man

.DEFAULT_GOAL := help
.PHONY: help setup run boards verify-boards ioc display test test-long mutation test-needs test-threadx test-rtems test-rtems-ioc dist image check check-probe engine bench fuzz docs install-man lock format clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what is missing: Debian packages, .venv, the engine (does nothing the second time)
	@tools/setup run
	@echo 'rtstone is ready: make run measures this machine, $(BIN)/rtstone --help lists the commands'

run: ## measure this machine by three studies, idle and under load; tables here, charts in out/report.html
	@tools/setup run
	@mkdir -p $(dir $(REPORT))
	@$(BIN)/rtstone run --study $(STUDIES) --profile $(PROFILE) --report $(REPORT)

boards: ## install what virtual boards need (emulators, cross compilers), and list the boards
	@tools/setup run boards
	@$(BIN)/rtstone boards

# Four guests at a time, however few CPUs there are: a busy host must not show in a single byte.
verify-boards: ## run every kernel of BOARDS dozens of times (RUNS) and compare the bytes; hashes go to out/verify-boards.log
	@tools/setup run boards
	@mkdir -p out
	@$(BIN)/rtstone boards verify $(BOARDS) --runs $(RUNS) --jobs 4 --log out/verify-boards.log

ioc: ## install EPICS base (Python packages), build the IOC and its clients, and say how to start it
	@tools/setup run ioc
	@$(BIN)/rtstone ioc --build

display: ## install what the IOC's screen needs beyond `make ioc` (PyDM, Qt), and say how to open it
	@tools/setup run ioc display
	@echo '$(BIN)/rtstone ioc --display starts the IOC and opens its screen'

ioc-long: ## load the IOC back to back for MINUTES (10; 60 for the long run): memory flat, no monitor lost, statistics right
	@tools/setup run ioc test
	@PYTHONPATH=.:src:tests $(BIN)/python -m bench.ioc.long --minutes $(MINUTES)

test: ## every check and every test, as continuous integration runs them
	@tools/setup run test boards ioc display docs release
	@tools/test

test-long: ## the full trials (marked `long`) whose short forms are in `make test`: minutes to hours, one by one; then `make mutation`
	@tools/setup run test boards ioc image release
	@$(MAKE) --no-print-directory engine
	@code=0; $(BIN)/pytest -m long --timeout=7200 --durations=0 || code=1; tools/mutation $(DIGITS) || code=1; exit $$code

mutation: ## change stats, judge and stream at one place at a time: at least 85 of 100 changes must make a test fail. DIGITS: a tenth of all changes for each (4)
	@tools/setup run test
	@$(MAKE) --no-print-directory engine
	@tools/mutation $(DIGITS)

test-needs: ## what tests say that they need of the system: run as root where all is granted, it refuses that and shows that they fail then
	@tools/setup run test boards ioc
	@$(MAKE) --no-print-directory engine
	@tools/test-needs

dist: ## build a release into dist/: sdist, wheels, packages for Debian 12 and 13, an SBOM, checksums
	@tools/setup run boards release
	@$(BIN)/python tools/dist

image: ## build the container image localhost/rtstone of HEAD with podman; BASE: another base than Debian's own image
	@BASE='$(BASE)' tools/image

test-threadx: ## what `make test` does not: the tests of the ThreadX port, with a ThreadX that you installed (THREADX_PREFIX=its folder)
	@test -n '$(THREADX_PREFIX)' || { echo 'make test-threadx THREADX_PREFIX=<folder of an installed ThreadX>: ports/threadx/README.md' >&2; exit 2; }
	@tools/setup run test boards
	@THREADX_PREFIX='$(THREADX_PREFIX)' $(BIN)/pytest -m threadx --durations=0

test-rtems: ## likewise: the tests of the RTEMS port, with an RTEMS that you installed (RTEMS_PREFIX=its folder)
	@test -n '$(RTEMS_PREFIX)' || { echo 'make test-rtems RTEMS_PREFIX=<folder of an installed RTEMS>: ports/rtems/README.md' >&2; exit 2; }
	@tools/setup run test boards
	@RTEMS_PREFIX='$(RTEMS_PREFIX)' $(BIN)/pytest -m rtems --durations=0

test-rtems-ioc: ## likewise: the tests of RTEMS inside an EPICS IOC, with an RTEMS that has libbsd (RTEMS_PREFIX) and an EPICS base built for it (EPICS_BASE)
	@test -n '$(RTEMS_PREFIX)' && test -n '$(EPICS_BASE)' || { echo 'make test-rtems-ioc RTEMS_PREFIX=<folder of an installed RTEMS> EPICS_BASE=<folder of an EPICS base built for it>: ports/rtems-ioc/README.md' >&2; exit 2; }
	@tools/setup run test boards
	@RTEMS_PREFIX='$(RTEMS_PREFIX)' EPICS_BASE='$(EPICS_BASE)' $(BIN)/pytest -m rtems_ioc --durations=0

check: ## only the static checks: formats, types, licences, C lint
	@tools/setup run test ioc
	@tools/check

check-probe: ## the kernel's own style check over the probe module
	@tools/check-probe

engine: ## build the engine into build/engine for runs from the live sources
	@cmake --preset engine --log-level=WARNING
	@cmake --build --preset engine

bench: ## measure rtstone itself beside its peers and against its stated limits
	@tools/setup run bench test ioc
	@bench/run

fuzz: ## the property-based tests with many more examples than `make test` gives them
	@tools/setup run test
	@$(MAKE) --no-print-directory engine
	@$(BIN)/pytest -m hypothesis --hypothesis-profile=long --timeout=0

docs: ## build the documentation, any warning being an error: the site into build/docs/html, man pages into build/docs/man
	@tools/setup run docs
	@$(MAKE) --no-print-directory engine
	@tools/docs

install-man: docs ## install the man pages into MANDIR (~/.local/share/man), where `man rtstone-run` finds them
	@install -d $(MANDIR)/man1
	@install -m 644 build/docs/man/man1/*.1 $(MANDIR)/man1

lock: ## resolve the dependencies anew and rewrite requirements/*.txt
	@tools/lock

format: ## rewrite C and Python sources in the house format
	@tools/setup run test
	@$(BIN)/ruff check --fix-only --quiet . && $(BIN)/ruff format --quiet .
	@tools/c-sources | xargs -r $(BIN)/clang-format -i

clean: ## remove what was built (not .venv, not out/)
	@rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
