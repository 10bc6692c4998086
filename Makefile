# Front end of the build; Meson and ninja do the work (meson.build in each folder).
#
#   make            build what users see into build/: programs, libraries, examples (make build: tests and benchmarks, too)
#   make demo       install missing packages, build, run the examples on the simulated GPU
#   make test       the same for all tests; ends with "N passed, N failed"
#   make test-profiles   tests/cl, examples and tests in Python on machines of the documents (configs/r*.conf, sv39.conf)
#   make test-spirv      tests/cl and images by way of SPIR-V, through clang-15 and llvm-spirv-15
#   make test-engines    tests/cl, examples, tests in Python and of the OpenCL library in translated code from the first
#                        instruction, on each host level, and tests/cl against `step` between turns of warps; a quarter of
#                        an hour on two idle processors without AVX-512
#   make check-clients   programs and libraries of Debian that compute with OpenCL, on Ventus and on pocl; installs them, takes
#                        over an hour. CLIENTS="hashcat clfft" chooses some (tests/clients/)
#   make bench      Ventus against pocl, tables of ratios; the assembler against llvm-mc. AGAINST=file.icd: another OpenCL than
#                   Debian's pocl
#   make bench-random   the same with random kernels of SEED=n, by default today's
#   make random     1000 random kernels against the host (COUNT=n) from SEED=n, by default today's; minutes (tests/random/)
#   make soak       a client that does all kinds of work for MINUTES (60), watched for what grows (tests/soak/); SEED=n, by default
#                   today's
#   make mutants    small mistakes, one at a time: do the tests notice? Takes hours (tests/mutation/)
#   make format     brings the C sources into the form of .clang-format (format-check: says whether they are)
#   make tidy       looks for mistakes with clang-tidy
#   make install    into PREFIX (default /usr/local): programs, libraries, machines, examples, documentation, manual pages and
#                   bash's completion, and the ICD file in ICD_FOLDER: /etc/OpenCL/vendors, where the loader looks, if PREFIX is
#                   below /usr or /opt, else PREFIX/etc/OpenCL/vendors, which needs no rights;
#                   DESTDIR=folder puts all of it below that folder
#   make uninstall  removes what `make install` with the same PREFIX has installed, and leaves nothing
#   make dist       the last commit as build/meson-dist/ventus-VERSION.tar.xz, with its SHA-256
#   make dist-binary   what is built as build/ventus-VERSION-linux-MACHINE.tar.xz, which unpacks anywhere
#   make deb        the last commit as Debian packages in build/deb/
#   make check-deb  what lintian says of them; installs and removes them in a new Debian in a folder, where OpenCL programs must
#                   find the device; root, some minutes; SUITES="bookworm trixie noble jammy": in these of Debian and Ubuntu
#   make help       this text
#   make clean
#
# SANITIZE=1 builds with ASan and UBSan into build-sanitize/, at -O1, which compiles in half the time;
# TSAN=1 builds with TSan into build-tsan/. WERROR=1 makes warnings errors. BUILD=folder chooses
# another folder. TESTS="words" runs only the tests whose names contain one of the words; with
# NEEDED=1 no more is built than those need (tests/run --needs). JOBS=n limits the processors used.

BUILD ?= build$(if $(SANITIZE),-sanitize)$(if $(TSAN),-tsan)
PREFIX ?= /usr/local
override PREFIX := $(abspath $(patsubst ~/%,$(HOME)/%,$(PREFIX)))
ICD_FOLDER ?= $(if $(filter /usr /usr/% /opt /opt/%,$(PREFIX)),,$(PREFIX))/etc/OpenCL/vendors
JOBS ?= $(shell nproc)

setup = $(if $(SANITIZE),-Doptimization=1 -Db_sanitize=address$(comma)undefined -Db_lundef=false) \
        $(if $(TSAN),-Db_sanitize=thread -Db_lundef=false) $(if $(WERROR),-Dwerror=true) --prefix=$(PREFIX)
comma = ,

.PHONY: all sources product build announce-demo demo test test-profiles test-spirv test-engines check-clients bench bench-random random soak mutants format format-check tidy install uninstall dist dist-binary deb check-deb help clean deps-build deps-test
.NOTPARALLEL:

all: product

deps-build:
	@scripts/deps.sh build
deps-test:
	@scripts/deps.sh test

$(BUILD)/build.ninja:
	@scripts/deps.sh --check build
	@echo "make: configuring $(BUILD)"
	@meson setup $(BUILD) $(setup) >$(BUILD).log 2>&1 || { cat $(BUILD).log; rm -rf $(BUILD); exit 1; }
	@rm -f $(BUILD).log
	@scripts/sources.sh all >$(BUILD)/sources.txt

# Meson looks for sources when it configures: do that again when files have come or gone.
sources: $(BUILD)/build.ninja
	@scripts/sources.sh all >$(BUILD)/sources.new; if cmp -s $(BUILD)/sources.new $(BUILD)/sources.txt; \
	then rm $(BUILD)/sources.new; else ninja -C $(BUILD) reconfigure >$(BUILD)/reconfigure.log || \
	{ cat $(BUILD)/reconfigure.log; exit 1; }; mv $(BUILD)/sources.new $(BUILD)/sources.txt; fi

product: sources
	@echo "make: building $(BUILD)"
	@ninja -C $(BUILD) -j $(JOBS) product
build: sources
	@echo "make: building $(BUILD), with tests and benchmarks"
	@ninja -C $(BUILD) -j $(JOBS) $(if $(NEEDED),$$(tests/run --build $(BUILD) --needs $(TESTS)))

announce-demo:
	@scripts/demo.sh --announce $(BUILD)
demo: announce-demo deps-build product
	@scripts/demo.sh $(BUILD)

test: deps-test build
	@tests/run --build $(BUILD) --jobs $(JOBS) $(TESTS)

# One after the other, all of them even when one has failed. Cases that use instructions of the default profile by name
# are left out.
portable = $(filter-out cl/asm cl/ventus-header,$(patsubst tests/cl/%.cl,cl/%,$(wildcard tests/cl/*.cl)))
test-profiles: deps-test build
	@code=0; for machine in configs/r2*.conf configs/sv39.conf; do echo "machine: $$machine"; \
	VENTUS_CONFIG=$(CURDIR)/$$machine tests/run --build $(BUILD) --jobs $(JOBS) --timeout 900 $(portable) example/ python/ tests/cc/ || code=1; \
	done; exit $$code

# Cases in OpenCL C by way of SPIR-V, with clang-15 and llvm-spirv-15. Left out is what a translator cannot hand on: inline
# assembly, this compiler's own messages, options and headers, and get_global_id(3), of which it makes invalid modules.
by_spirv = $(filter-out cl/bad-% cl/asm cl/ids cl/linked cl/options cl/ventus-header,$(patsubst tests/cl/%.cl,cl/%,$(wildcard tests/cl/*.cl)))
test-spirv: deps-test build
	@for tool in clang-15 llvm-spirv-15; do command -v $$tool >/dev/null || { echo "$$tool is missing: sudo apt install $$tool"; exit 1; }; done
	@VENTUS_CC=$(CURDIR)/tests/spirv/ventus-cc VENTUS_TRANSLATED=$(CURDIR)/$(BUILD)/ventus-cc VENTUS_CACHE=0 \
	tests/run --build $(BUILD) --jobs $(JOBS) $(by_spirv) opencl/image opencl/sample

# What test-engines runs with the least effort of the translator, and what with the usual one as well: that of calls between turns
# would take minutes.
LEAST_TESTS = ^cl/ ^example/ ^python/ ^unit/tests/opencl/ ^turns/
USUAL_TESTS = cl/algorithms cl/atomic ^cl/calls cl/control cl/divergence cl/float cl/local cl/loops cl/reconverge cl/struct ^example/

# On a level that the host lacks, the next lower one would run twice. However busy the host is, translations are waited for: `step`
# would run the cases without them, and the share of what ran translated (tests/translated.txt) would tell.
test-engines: deps-test build
	@code=0; has=$$($(BUILD)/ventus info | sed -n 's/^# engine native .* this host: //p'); \
	export VENTUS_ENGINE=native VENTUS_TRANSLATE_PATIENCE=900; \
	run="tests/run --build $(BUILD) --jobs $(JOBS) --timeout 900 --translated 95 --turns"; \
	for level in base v3 v4 v4fp16; do export VENTUS_NATIVE_LEVEL=$$level; case " $$has " in \
	*" $$level "*) echo "engine: native, $$level"; \
	VENTUS_TRANSLATE_EFFORT=least $$run $(or $(TESTS),$(LEAST_TESTS)) || code=1; \
	$$run $(or $(TESTS),$(USUAL_TESTS)) || code=1 ;; \
	*) echo "engine: native, $$level: skipped, this host lacks it" ;; \
	esac; done; exit $$code

check-clients: deps-test build
	@tests/clients/run --build $(BUILD) $(CLIENTS)

bench: deps-test build
	@bench/run --build $(BUILD) $(if $(AGAINST),--against $(AGAINST))
	@bench/isa.sh $(BUILD)

# Another thousand each day.
COUNT ?= 1000
SEED ?= $(shell date +%Y%m%d)000
bench-random: deps-test build
	@bench/run --build $(BUILD) $(if $(AGAINST),--against $(AGAINST)) --random $(SEED)
random: deps-test build
	@VENTUS_BUILD=$(CURDIR)/$(BUILD) VENTUS_SOURCE=$(CURDIR) VENTUS_TRANSLATE=$(CURDIR)/$(BUILD)/ventus-translate \
	VENTUS_RANDOM_COUNT=$(COUNT) VENTUS_RANDOM_SEED=$(SEED) $(BUILD)/tests/random/random_test

MINUTES ?= 60
soak: deps-test build
	@SOAK_MINUTES=$(MINUTES) SOAK_SEED=$(SEED) $(BUILD)/tests/soak/soak_test

mutants: deps-test
	@tests/mutation/mutate.py

format:
	@scripts/format.sh
format-check:
	@scripts/format.sh --check
tidy: deps-test build
	@scripts/tidy.sh $(BUILD)

install: product
	@meson configure $(BUILD) -Dprefix=$(PREFIX) -Dicd_folder=$(ICD_FOLDER)
	@ninja -C $(BUILD) -j $(JOBS) product
	@scripts/install.sh $(BUILD) $(PREFIX) $(ICD_FOLDER)
uninstall:
	@scripts/install.sh --uninstall $(PREFIX)

# Meson takes the last commit: what is not committed is not packed.
dist: sources
	@meson dist -C $(BUILD) --no-tests --formats xztar

dist-binary: product
	@packaging/dist-binary.sh $(BUILD)

deb:
	@scripts/deps.sh build packages dpkg-dev debhelper fakeroot
	@JOBS=$(JOBS) packaging/deb.sh $(BUILD)
check-deb:
	@scripts/deps.sh packages debootstrap lintian
	@packaging/check-deb.sh $(BUILD) $(SUITES)

help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile

clean:
	rm -rf build build-sanitize build-tsan build-clang build-mutants
