# Every command a person needs; `make help` lists them. All output goes below build/.

.DELETE_ON_ERROR:
.SECONDEXPANSION:
.SECONDARY:
.SUFFIXES:
ifeq ($(filter -j%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc)
endif

V ?=
Q := $(if $(V),,@)
# What is being made, for people: $(call say,CC,file)
say = $(if $(V),,@printf '  %-7s %s\n' '$(1)' '$(patsubst build/%,%,$(2))')

ISAS := x86_64 aarch64
NATIVE := $(shell uname -m)
# `make efi`: both; `make run`: this machine's.
ISA ?=
BOOT_x86_64 := BOOTX64
BOOT_aarch64 := BOOTAA64

# Compiler prefix: none for this machine's own ISA.
CROSS_x86_64 := x86_64-linux-gnu-
CROSS_aarch64 := aarch64-linux-gnu-
CROSS_$(NATIVE) :=
# The Linux program of this machine is build/fathom, the other carries its ISA in its name.
HOSTED_x86_64 := build/fathom-x86_64
HOSTED_aarch64 := build/fathom-aarch64
HOSTED_$(NATIVE) := build/fathom
# Where gnu-efi is: the other ISA's can't be installed beside this machine's and is unpacked below build/.
GNUEFI_x86_64 := build/debian/usr
GNUEFI_aarch64 := build/debian/usr
GNUEFI_$(NATIVE) := /usr
DEBIAN_x86_64 := amd64
DEBIAN_aarch64 := arm64
FOREIGN := $(filter-out $(NATIVE),$(ISAS))

# Python leaves nothing beside the scripts.
export PYTHONDONTWRITEBYTECODE := 1

.PHONY: all efi host image run test test-long check install dist setup clean help
all: image host

help:
	@echo 'make run [ISA=aarch64]  build the stick image, boot it in QEMU, show what it found'
	@echo 'make image              build/fathom.img: write it to a USB stick and boot a machine'
	@echo 'make host               build/fathom: the same probes as a Linux program, static'
	@echo 'make efi [ISA=...]      only the UEFI applications, build/BOOTX64.EFI and build/BOOTAA64.EFI'
	@echo 'make test               every test but the long ones, on both instruction sets'
	@echo '     ONLY=unit/knee     only tests of these names: unit/NAME, model/NAME, NAME of tests/NAME; * and folders too'
	@echo '     SINCE=HEAD~3       first the tests of what has changed since that commit'
	@echo 'make test-long          and the long ones'
	@echo 'make check              formatting, linters, structure: who includes and calls whom, lengths of files'
	@echo 'make format             lay out the sources as make check wants them'
	@echo 'make docs               make again what docs/ has from the sources: findings, reasons, keys of records'
	@echo 'make install PREFIX=/usr/local DESTDIR=   the Linux program, its manual page and the viewer'
	@echo 'make dist               a release, build/fathom-VERSION.*: programs, image, bill of materials, checksums (docs/VERIFY.md)'
	@echo 'make setup              install all that is missing on Debian 12 (the others install what they need)'
	@echo 'make clean              remove build/'
	@echo 'V=1 shows every command.'

setup:
	@scripts/setup

# Packages are installed by tier, each with a stamp; scripts/setup has the lists. Building waits for the largest tier
# that the goals need, so that everything is installed, and announced, in one go.
TIERS := $(sort $(if $(filter run,$(MAKECMDGOALS)),run-$(or $(ISA),$(NATIVE))) $(filter check,$(MAKECMDGOALS)) \
    $(if $(filter install dist,$(MAKECMDGOALS)),dist) $(if $(filter test test-long,$(MAKECMDGOALS)),test))
build/setup.stamp: scripts/setup | $(TIERS:%=build/setup-%.stamp)
	@scripts/setup build
	@mkdir -p build && touch $@

build/setup-%.stamp: scripts/setup
	@scripts/setup $*
	@mkdir -p build && touch $@

clean:
	rm -rf build

# ---- What every compiler is told -----------------------------------------------------------------

# Paths are mapped away so that two clones give the same bytes. No contraction: the same curve must
# give the same verdict in every build. Text for people is cut to its line on purpose.
WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wno-format-truncation -Werror
COMMON := -std=gnu11 -O2 -g $(WARNINGS) -ffp-contract=off -fno-common -fno-delete-null-pointer-checks \
          -ffile-prefix-map=$(CURDIR)=. -I. -MMD -MP

# x18 is the platform's (AAPCS64, 6.1.1; UEFI 2.10, 2.3.6.1).
ISA_FLAGS_x86_64 :=
ISA_FLAGS_aarch64 := -mno-outline-atomics -ffixed-x18

# ---- newlib, from Debian's source, for the UEFI image --------------------------------------------

NEWLIB_TAR := /usr/src/newlib/newlib-3.3.0.tar.xz
FREESTANDING := -ffreestanding -fpic -fvisibility=hidden -fno-stack-protector -fno-asynchronous-unwind-tables \
                -fno-unwind-tables -fshort-wchar -U__linux__ -U__gnu_linux__ -Ulinux
FREESTANDING_x86_64 := -mno-red-zone -fcf-protection=none
FREESTANDING_aarch64 := -mstrict-align $(ISA_FLAGS_aarch64)
# __OBSOLETE_MATH_DEFAULT: left alone, x86-64 takes newlib's old mathematics and AArch64 its new.
NEWLIB_CFLAGS := -O2 -fno-common -w -U_FORTIFY_SOURCE -ffp-contract=off -D__OBSOLETE_MATH_DEFAULT=0 \
                 -ffile-prefix-map=$(CURDIR)/build=. $(FREESTANDING)

build/newlib/source.stamp: | build/setup.stamp
	$(call say,UNPACK,$(NEWLIB_TAR))
	$(Q)mkdir -p build/newlib/source
	$(Q)tar xf $(NEWLIB_TAR) -C build/newlib/source --strip-components=1
	$(Q)touch $@

# $(1): ISA. The library is replaced whole, never updated.
define newlib_rules
NEWLIB_$(1) := build/newlib/$(1)
build/newlib/$(1).stamp: scripts/newlib boot/uefi/newlib.h build/newlib/source.stamp
	$$(call say,NEWLIB,$(1))
	$$(Q)scripts/newlib $(1) '$$(CURDIR)/build/newlib/source' '$$(CURDIR)/$$(NEWLIB_$(1))' $(CROSS_$(1))ar \
	    $(CROSS_$(1))gcc $$(NEWLIB_CFLAGS) $$(FREESTANDING_$(1))
	$$(Q)touch $$@
endef
$(foreach isa,$(ISAS),$(eval $(call newlib_rules,$(isa))))

# ---- Debian packages that are unpacked, not installed ----------------------------------------------

# gnu-efi and libpfm4 of the other instruction set cannot be installed beside this machine's; d3 would bring forty
# packages with it and the font ten, for a file each.
build/debian/stamp: scripts/unpack | build/setup.stamp
	$(call say,FETCH,gnu-efi libpfm4-dev node-d3 fonts-spleen)
	$(Q)scripts/unpack build/debian $(DEBIAN_$(FOREIGN)) $(foreach name,gnu-efi libpfm4-dev,$(name):$(DEBIAN_$(FOREIGN))) \
	    node-d3 fonts-spleen
	$(Q)touch $@

# ---- Names and numbers of counter events, from libpfm4 --------------------------------------------

# Each architecture's package knows only that architecture's cores. The other one is unpacked below build/, and what
# is compiled with it runs in an emulator.
PFM_x86_64 := build/debian/usr
PFM_aarch64 := build/debian/usr
PFM_$(NATIVE) := /usr
PFM_RUN_x86_64 := qemu-x86_64
PFM_RUN_aarch64 := qemu-aarch64
PFM_RUN_$(NATIVE) :=
# libpfm4's names of the cores that arch/*/ can name; lib/counters/events/*.c says which is whose.
PFM_TABLES_x86_64 := nhm wsm_dp snb ivb hsw bdw skl skx icl spr slm glm tmt knl knm \
    amd64_fam15h_interlagos amd64_fam16h amd64_fam17h_zen1 amd64_fam17h_zen2 amd64_fam19h_zen3 amd64_fam19h_zen4
PFM_TABLES_aarch64 := arm_ac53 arm_ac57 arm_n1 arm_n2 arm_v1 arm_v2 arm_a64fx arm_thunderx2 arm_kunpeng

# $(1): ISA.
define pfm_rules
build/events/pack-$(1): scripts/pack-events.c Makefile | build/setup.stamp \
    $(if $(filter $(FOREIGN),$(1)),build/debian/stamp)
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$$(Q)$(CROSS_$(1))gcc -std=gnu11 -O2 $$(WARNINGS) -static $$< -o $$@ \
	    -idirafter $(PFM_$(1))/include -L$(PFM_$(1))/lib/$(1)-linux-gnu -lpfm

build/events/$(1).c: build/events/pack-$(1)
	$$(call say,EVENTS,$$@)
	$$(Q)$(PFM_RUN_$(1)) $$< packed_events_$(1) $$(PFM_TABLES_$(1)) >$$@
endef
$(foreach isa,$(ISAS),$(eval $(call pfm_rules,$(isa))))

# An image carries the events of its own cores, the Linux program all.
EVENTS_x86_64 := lib/counters/events/intel.c lib/counters/events/intel_names.c lib/counters/events/amd.c build/events/x86_64.c
EVENTS_aarch64 := lib/counters/events/arm.c lib/counters/events/apple.c build/events/aarch64.c
EVENTS := $(EVENTS_x86_64) $(EVENTS_aarch64)

# ---- Instruction forms ----------------------------------------------------------------------------

build/catalogue/make-x86_64: $(wildcard scripts/catalogue-x86_64/*.[ch]) arch/catalogue.h Makefile | build/setup.stamp
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)gcc -std=gnu11 -O2 $(WARNINGS) -I. $(filter %.c,$^) -lZydis -o $@

build/catalogue/x86_64.c: build/catalogue/make-x86_64
	$(call say,FORMS,$@)
	$(Q)$< >$@.new && mv $@.new $@

build/catalogue/aarch64.c: scripts/catalogue-aarch64 | build/setup.stamp
	$(call say,FORMS,$@)
	@mkdir -p $(@D)
	$(Q)$< "$(CROSS_aarch64)" >$@.new && mv $@.new $@

# ---- The name of this build ----------------------------------------------------------------------

# Date and name of the last commit, and whether files differ from it; a tree without git's history is undated.
VERSION = $(or $(shell git log -1 --date=format:%Y%m%d --format=%cd-%h 2>/dev/null),undated)$(if \
    $(shell git status --porcelain -uno 2>/dev/null),-changed)
COMMIT_SECONDS = $(or $(shell git log -1 --format=%ct 2>/dev/null),0)
# Where the last commit is noted: what carries its name is made anew when that changes.
COMMIT := $(wildcard .git/logs/HEAD)

NAMED := $(foreach isa,$(ISAS),build/uefi/$(isa)/lib/base/version.c.o build/linux/$(isa)/lib/base/version.c.o)
$(NAMED): COMMON += -DVERSION='"$(VERSION)"'
$(NAMED): $(COMMIT)

# ---- The UEFI application ------------------------------------------------------------------------

FONTS := $(patsubst %,build/debian/usr/share/consolefonts/spleen-%.psfu.gz,8x16 16x32)
build/font.c: scripts/pack-font build/debian/stamp
	$(call say,FONT,$@)
	$(Q)scripts/pack-font $(FONTS) >$@.new && mv $@.new $@

# $(1): ISA. $$(gcc ...) is asked when a file is compiled: make may start before setup has run.
define efi_rules
SOURCES_$(1) := $$(wildcard arch/*.c arch/$(1)/*.[cS] lib/*.c lib/*/*.c probes/*/*.c) build/catalogue/$(1).c
EFI_SOURCES_$(1) := $$(wildcard boot/uefi/*_$(1).S boot/uefi/*.c arch/$(1)/own/*.[cS]) $$(SOURCES_$(1)) \
    $(EVENTS_$(1)) build/font.c
EFI_OBJECTS_$(1) := $$(EFI_SOURCES_$(1):%=build/uefi/$(1)/%.o)
EFI_NEEDS_$(1) := build/newlib/$(1).stamp $(if $(filter $(FOREIGN),$(1)),build/debian/stamp)
EFI_INCLUDES_$(1) := -isystem $$(NEWLIB_$(1))/include \
    -isystem $(GNUEFI_$(1))/include/efi -isystem $(GNUEFI_$(1))/include/efi/$(1)

build/uefi/$(1)/%.o: % Makefile | $$(EFI_NEEDS_$(1))
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$$(Q)$(CROSS_$(1))gcc $$(COMMON) $$(FREESTANDING) $$(FREESTANDING_$(1)) -DGNU_EFI_USE_MS_ABI \
	    -nostdinc -isystem $$$$($(CROSS_$(1))gcc -print-file-name=include) $$(EFI_INCLUDES_$(1)) -c $$< -o $$@

build/uefi/$(1)/fathom.so: $$(EFI_OBJECTS_$(1)) boot/uefi/image.lds
	$$(call say,LD,$$@)
	$$(Q)$(CROSS_$(1))ld -nostdlib --no-warn-rwx-segments --no-warn-execstack -shared -Bsymbolic --no-undefined --build-id=none \
	    -T boot/uefi/image.lds -o $$@ $$(EFI_OBJECTS_$(1)) --start-group $(GNUEFI_$(1))/lib/libgnuefi.a \
	    $$(NEWLIB_$(1))/libc.a \
	    $$$$($(CROSS_$(1))gcc -print-libgcc-file-name) --end-group

build/$(BOOT_$(1)).EFI: build/uefi/$(1)/fathom.so scripts/finish-efi
	$$(call say,PE,$$@)
	$$(Q)$(CROSS_$(1))objcopy --strip-all --section-alignment=4096 --file-alignment=512 --target=efi-app-$(1) \
	    $$(foreach s,.hash .gnu.hash .dynsym .dynstr,-R $$(s)) $$< $$(<:.so=.efi)
	$$(Q)scripts/finish-efi $(1) $$(<:.so=.efi) $$@

-include $$(EFI_OBJECTS_$(1):.o=.d)

# The object is new when a header is.
build/check/$(1)/%: % build/uefi/$(1)/%.o .clang-tidy | build/setup-check.stamp
	$$(call say,TIDY,$$@)
	@mkdir -p $$(@D)
	$$(Q)clang-tidy --quiet $$< -- --target=$(1)-linux-gnu -std=gnu11 -I. $$(FREESTANDING) -DGNU_EFI_USE_MS_ABI \
	    -nostdlibinc $$(EFI_INCLUDES_$(1)) >$$@.log 2>&1 || { cat $$@.log; exit 1; }
	@touch $$@
endef
$(foreach isa,$(ISAS),$(eval $(call efi_rules,$(isa))))

efi: $(foreach isa,$(or $(ISA),$(ISAS)),build/$(BOOT_$(isa)).EFI)

# ---- The Linux program ---------------------------------------------------------------------------

define hosted_rules
HOSTED_SOURCES_$(1) := $$(wildcard boot/linux/*.[cS]) $$(SOURCES_$(1)) $(EVENTS)
HOSTED_OBJECTS_$(1) := $$(HOSTED_SOURCES_$(1):%=build/linux/$(1)/%.o)

build/linux/$(1)/%.o: % Makefile | build/setup.stamp
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$$(Q)$(CROSS_$(1))gcc $$(COMMON) $$(ISA_FLAGS_$(1)) -c $$< -o $$@

$(HOSTED_$(1)): $$(HOSTED_OBJECTS_$(1))
	$$(call say,LD,$$@)
	$$(Q)$(CROSS_$(1))gcc -static -o $$@ $$^ -lm

-include $$(HOSTED_OBJECTS_$(1):.o=.d)
endef
$(foreach isa,$(ISAS),$(eval $(call hosted_rules,$(isa))))

host: $(foreach isa,$(ISAS),$(HOSTED_$(isa)))

# ---- The stick image -----------------------------------------------------------------------------

# One page that shows runs, with all that it needs inside.
build/viewer.html: scripts/viewer.py scripts/reasons.py lib/base/reasons.def lib/plan/published.def $(wildcard lib/plan/published/*.def viewer/* probes/*/*.c) \
    build/debian/stamp
	$(call say,PAGE,$@)
	@mkdir -p $(@D)
	$(Q)$< $@

build/fathom.img: $(foreach isa,$(ISAS),build/$(BOOT_$(isa)).EFI) build/viewer.html scripts/image LICENSE $(wildcard images/*)
	$(call say,IMAGE,$@)
	$(Q)scripts/image $@ build/BOOTX64.EFI build/BOOTAA64.EFI build/newlib/source build/viewer.html

image: build/fathom.img

run: build/fathom.img | build/setup-run-$(or $(ISA),$(NATIVE)).stamp
	@scripts/run $(or $(ISA),$(NATIVE)) $< build/run/$(or $(ISA),$(NATIVE))

# ---- Installing, and the archive of a release ----------------------------------------------------

PREFIX := /usr/local
DESTDIR :=
build/fathom.1: scripts/manual build/fathom $(COMMIT) | build/setup-dist.stamp
	$(call say,MAN,$@)
	$(Q)scripts/manual build/fathom $(VERSION) $(COMMIT_SECONDS) >$@.new && mv $@.new $@

build/NOTICES.TXT: scripts/notices LICENSE build/debian/stamp build/newlib/source.stamp
	$(call say,TEXT,$@)
	$(Q)scripts/notices build/newlib/source all >$@.new && mv $@.new $@

install: build/fathom build/fathom.1 build/viewer.html build/NOTICES.TXT | build/setup-dist.stamp
	$(call say,INSTALL,$(DESTDIR)$(PREFIX))
	$(Q)install -D -m 755 build/fathom '$(DESTDIR)$(PREFIX)/bin/fathom'
	$(Q)install -D -m 644 build/fathom.1 '$(DESTDIR)$(PREFIX)/share/man/man1/fathom.1'
	$(Q)install -D -m 644 build/viewer.html '$(DESTDIR)$(PREFIX)/share/fathom/viewer.html'
	$(Q)install -D -m 644 -t '$(DESTDIR)$(PREFIX)/share/doc/fathom' LICENSE build/NOTICES.TXT images/FATHOM.CFG

RELEASE = build/fathom-$(VERSION)
RELEASED := $(foreach isa,$(ISAS),fathom-$(isa)=$(HOSTED_$(isa))) fathom.1=build/fathom.1 viewer.html=build/viewer.html \
    NOTICES.TXT=build/NOTICES.TXT LICENSE=LICENSE README.md=README.md FATHOM.CFG=images/FATHOM.CFG \
    CHANGELOG.md=CHANGELOG.md VERIFY.md=docs/VERIFY.md

# The image is stored with holes; xz drops them and the name.
dist: build/fathom.img host build/fathom.1 build/viewer.html build/NOTICES.TXT | build/setup-dist.stamp
	$(call say,DIST,$(RELEASE).tar.xz)
	$(Q)rm -f build/fathom-*.tar.xz build/fathom-*.img.xz build/fathom-*.spdx.json build/fathom-*.sha256
	$(Q)xz -T1 --stdout build/fathom.img >$(RELEASE).img.xz
	$(Q)scripts/sbom $(VERSION) $(COMMIT_SECONDS) fathom.img.xz=$(RELEASE).img.xz $(RELEASED) >$(RELEASE).spdx.json
	$(Q)scripts/dist $(RELEASE).tar.xz fathom-$(VERSION) $(COMMIT_SECONDS) fathom.spdx.json=$(RELEASE).spdx.json $(RELEASED)
	$(Q)cd build && sha256sum fathom-$(VERSION).tar.xz fathom-$(VERSION).img.xz fathom-$(VERSION).spdx.json >fathom-$(VERSION).sha256

# ---- Tests ---------------------------------------------------------------------------------------

# Every tests/unit/NAME.c becomes build/tests/NAME, linked with what it needs of lib/. Comments in its
# first five lines add to that: "link: FILE FILE", these sources too, before what else lib/ has;
# "libs: -lNAME" adds to the linker's command, "define: -DNAME" to the compiler's for this file. NATIVE stands
# for this machine's ISA.
UNIT_TESTS := $(patsubst tests/unit/%.c,build/tests/%,$(wildcard tests/unit/*.c))
# Programs that report in TAP and do more than call functions: they boot, measure, fuzz.
TEST_RUNS := $(wildcard tests/*/run)
comment = $(subst NATIVE,$(NATIVE),$(shell sed -n '1,5s!.*/\* *$(1): *\(.*\) \*/.*!\1!p' $(2)))
unit_objects = $(patsubst %,build/tests/objects/%.o,$(call comment,link,tests/unit/$(1).c)) \
    build/tests/objects/arch.a build/tests/objects/lib.a
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all

build/tests/objects/%.o: % Makefile | build/setup-test.stamp
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)gcc $(COMMON) $(SANITIZE) $(call comment,define,$<) -c $< -o $@

# Code of AArch64 for a test that runs it in an emulator, as bytes: _binary_NAME_start, _binary_NAME_end.
build/tests/objects/tests/unit/%.S.o: tests/unit/%.S Makefile | build/setup-test.stamp
	$(call say,AS,$@)
	@mkdir -p $(@D)
	$(Q)$(CROSS_aarch64)gcc -I. -MMD -MP -MT $@ -MF $@.d -c $< -o $(@D)/$*.elf
	$(Q)$(CROSS_aarch64)objcopy -O binary $(@D)/$*.elf $(@D)/$*
	$(Q)cd $(@D) && $(CROSS_$(NATIVE))ld -r -z noexecstack -b binary $* -o $*.S.o

# Parts of arch/ that touch no register and have names of their own: a test that links what uses them need not list them.
UNIT_ARCH := $(patsubst %,build/tests/objects/arch/x86_64/%.c.o,counter_registers identify_caches identify_core_name \
    identify_cpuid)
build/tests/objects/arch.a: $(UNIT_ARCH)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

build/tests/objects/lib.a: $(patsubst %,build/tests/objects/%.o,$(wildcard lib/*.c lib/*/*.c))
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

build/tests/%: build/tests/objects/tests/unit/%.c.o $$(call unit_objects,$$*)
	$(call say,LD,$@)
	$(Q)gcc $(SANITIZE) $^ $(call comment,libs,tests/unit/$*.c) -lcmocka -lm -o $@

# The probes on modelled cores, all of tests/model in one program per ISA; each runs on any machine. The
# model itself runs at every instruction and Unicorn allocates at every store: no sanitizer there. Its files call each
# other at every instruction, and are optimised together when they are linked.
MODEL_SANITIZE := -fsanitize=undefined -fno-sanitize-recover=all
MODEL_LINK = $(MODEL_SANITIZE) -flto=auto
build/tests/model/%.o: % Makefile | build/setup-test.stamp
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)gcc $(COMMON) $(MODEL_SANITIZE) -c $< -o $@
build/tests/model/tests/%.o: MODEL_SANITIZE := -flto
# Most of the time of fits is spent here; tests/unit runs the same files with both sanitizers.
build/tests/model/lib/structure/btb_%.o: MODEL_SANITIZE :=

# What controls a core and counts on it, access to registers apart.
CONTROL_x86_64 := $(patsubst %,arch/x86_64/%.c,control counter_registers counters counters_amd counters_intel cpu \
    frequency identify identify_caches identify_core_name identify_cpuid prefetch quirks)
CONTROL_aarch64 := $(patsubst %,arch/aarch64/%.c,control cores counter_errata counters counters_apple counters_pmuv3 prefetch quirks)

# $(1): ISA.
define model_rules
MODEL_SOURCES_$(1) := $$(wildcard tests/model/*.c tests/model/probes/*.c tests/model/$(1)/*.c lib/*.c lib/*/*.c) \
    $$(wildcard probes/*/*.c arch/emit*.c arch/$(1)/emit*.c) arch/access.c arch/control.c arch/counters.c \
    $(CONTROL_$(1)) $(EVENTS_$(1)) arch/catalogue.c arch/form_read.c arch/$(1)/form_read.c arch/$(1)/catalogue.c arch/$(1)/form_links.c arch/$(1)/units.c build/catalogue/$(1).c
build/tests/model_$(1): $$(MODEL_SOURCES_$(1):%=build/tests/model/%.o)
	$$(call say,LD,$$@)
	$$(Q)gcc $$(MODEL_LINK) $$^ -lcapstone -lunicorn -lcmocka -lm -o $$@
endef
$(foreach isa,$(ISAS),$(eval $(call model_rules,$(isa))))
MODEL_TESTS := $(ISAS:%=build/tests/model_%)

# The engine alone, on modelled curves.
build/tests/model/lib.a: $(patsubst %,build/tests/model/%.o,$(wildcard lib/*.c lib/*/*.c))
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

build/tests/model_curves: $(patsubst %,build/tests/model/%.o,$(wildcard tests/model/curves/*.c) boot/linux/gather.c) build/tests/model/lib.a
	$(call say,LD,$@)
	$(Q)gcc $(MODEL_LINK) $^ -lcmocka -lm -o $@
MODEL_TESTS += build/tests/model_curves

# Families of curves, on modelled branch target buffers.
MODEL_FAMILIES := $(wildcard tests/model/families/*.c) tests/model/curves/noise.c tests/model/curves/machine.c
build/tests/model_families: $(MODEL_FAMILIES:%=build/tests/model/%.o) build/tests/model/lib.a
	$(call say,LD,$@)
	$(Q)gcc $(MODEL_LINK) $^ -lcmocka -lm -o $@
MODEL_TESTS += build/tests/model_families

# Organisations fitted to modelled and published branch target buffers; and to such that hold few branches.
MODEL_BTB := $(addprefix tests/model/btb/,fit.c published.c simulated.c) tests/model/curves/noise.c tests/model/curves/machine.c
build/tests/model_btb: $(MODEL_BTB:%=build/tests/model/%.o) build/tests/model/lib.a
	$(call say,LD,$@)
	$(Q)gcc $(MODEL_LINK) $^ -lcmocka -lm -o $@
build/tests/model_btb_near: $(patsubst %,build/tests/model/tests/model/%.c.o,btb/near changes targets curves/noise) build/tests/model/lib.a
	$(call say,LD,$@)
	$(Q)gcc $(MODEL_LINK) $^ -lcmocka -lm -o $@
MODEL_TESTS += build/tests/model_btb build/tests/model_btb_near

# Every form of a catalogue executed, to see what it reads and writes; static, so that an emulator can run it.
define operands_rules
build/tests/operands_$(1): $$(wildcard tests/operands/*.[ch]) tests/operands/execute_$(1).S arch/catalogue.h \
    $$(patsubst %,arch/%.c,catalogue $(1)/catalogue emit $(1)/emit) build/catalogue/$(1).c lib/base/random.c lib/base/statistics.c
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(if $$(filter $(1),$$(NATIVE)),gcc,$(1)-linux-gnu-gcc) $$(COMMON) -static $$(filter %.c %.S,$$^) -lm -o $$@
endef
$(foreach isa,$(ISAS),$(eval $(call operands_rules,$(isa))))

# What counts instructions of the Linux program.
build/tests/simulator: $(wildcard tests/simulator/*.[ch] tests/simulator/counted/*.c) Makefile | build/setup-test.stamp
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)gcc $(COMMON) $(filter %.c,$^) -lunicorn -o $@

# The same around a modelled core, for programs of one instruction set.
define core_rules
build/tests/core_$(1): $$(patsubst %,build/tests/model/%.o,$$(wildcard tests/simulator/*.c tests/simulator/timed/*.c) \
    $$(patsubst %,tests/model/%.c,cache changes core core_bypass core_call core_data core_prefetch core_units decode dram fused history in_flight ittage load_predictor load_store \
    ports predictor prefetchers repeats scheduler slices stores tage targets units ways $(1)/isa) lib/base/random.c lib/structure/replacement.c)
	$$(call say,LD,$$@)
	$$(Q)gcc $$(MODEL_LINK) $$^ -lcapstone -lunicorn -lm -o $$@
endef
$(foreach isa,$(ISAS),$(eval $(call core_rules,$(isa))))

-include $(shell find build/tests/objects build/tests/model -name '*.d' 2>/dev/null)

# What the test runs need, besides themselves.
TESTED := $(foreach isa,$(ISAS),$(HOSTED_$(isa))) build/fathom.img build/tests/simulator $(ISAS:%=build/tests/core_%) $(ISAS:%=build/tests/operands_%) \
    build/fathom.1

# Tests by name, for ONLY: unit/NAME, model/NAME, and NAME of tests/NAME/run. A pattern may have one *, and the name of a
# folder stands for all that is in it.
TEST_NAMES := $(UNIT_TESTS:build/tests/%=unit/%) $(MODEL_TESTS:build/tests/model_%=model/%) $(TEST_RUNS:tests/%/run=%)
ONLY ?=
only = $(subst *,%,$(1)) $(addsuffix /%,$(subst *,%,$(1)))
WANTED := $(if $(ONLY),$(filter $(foreach pattern,$(ONLY),$(call only,$(pattern))),$(TEST_NAMES)),$(TEST_NAMES))
UNMATCHED := $(strip $(foreach pattern,$(ONLY),$(if $(filter $(call only,$(pattern)),$(TEST_NAMES)),,$(pattern))))
WANTED_RUNS := $(patsubst %,tests/%/run,$(filter-out unit/% model/%,$(WANTED)))
WANTED_PROGRAMS := $(patsubst unit/%,build/tests/%,$(filter unit/%,$(WANTED))) \
    $(patsubst model/%,build/tests/model_%,$(filter model/%,$(WANTED)))
# With SINCE=COMMIT, tests of what has changed since then run first.
SINCE ?=

.PHONY: test-names
test-names:
	@echo 'No test is named $(UNMATCHED). Names are: $(sort $(TEST_NAMES))' | fold -sw 110 >&2; exit 2

test test-long: $(if $(UNMATCHED),test-names) $(WANTED_PROGRAMS) $(if $(WANTED_RUNS),$(TESTED)) | build/setup-test.stamp
	@CMOCKA_MESSAGE_OUTPUT=TAP $(if $(SINCE),SINCE='$(SINCE)') scripts/test $(WANTED_PROGRAMS) $(WANTED_RUNS)

# Also what tests leave out when nobody says that there is time.
test-long: export LONG := 1

# ---- Linters -------------------------------------------------------------------------------------

OURS := $(shell git ls-files -co --exclude-standard '*.[ch]' 2>/dev/null)
# Of the other instruction set only what is its own. Tests are left to the compiler and sanitizers.
TIDIED := $(patsubst %,build/check/$(NATIVE)/%,$(filter-out build/%,$(filter %.c,$(EFI_SOURCES_$(NATIVE))))) \
          $(patsubst %,build/check/$(FOREIGN)/%,$(wildcard arch/$(FOREIGN)/*.c arch/$(FOREIGN)/own/*.c)) \
          $(patsubst %,build/check/$(FOREIGN)/%,$(filter-out build/%,$(EVENTS_$(FOREIGN)))) \
          $(patsubst %,build/check/linux/%,$(wildcard boot/linux/*.c))

build/check/linux/%: % build/linux/$(NATIVE)/%.o .clang-tidy | build/setup-check.stamp
	$(call say,TIDY,$@)
	@mkdir -p $(@D)
	$(Q)clang-tidy --quiet $< -- -std=gnu11 -I. >$@.log 2>&1 || { cat $@.log; exit 1; }
	@touch $@

.PHONY: check-format check-includes check-cpp format
check: check-format check-includes check-cpp $(TIDIED)

check-format: | build/setup-check.stamp
	$(call say,FORMAT,$(words $(OURS)) files)
	$(Q)clang-format --dry-run -Werror $(OURS)

check-includes: | build/setup-check.stamp
	$(call say,INCLUDES,arch boot lib probes)
	$(Q)scripts/check-includes

check-cpp: | build/setup-check.stamp
	$(call say,CPPCHECK,arch boot lib probes)
	$(Q)cppcheck --quiet --std=c11 --platform=unix64 --enable=warning,performance,portability --inline-suppr \
	    --suppress=comparePointers --suppress=uninitvar -U__ASSEMBLER__ \
	    --error-exitcode=1 --cppcheck-build-dir=build/check -I. arch boot lib probes

# Tests hold them current.
.PHONY: docs
docs: | build/setup.stamp
	$(Q)scripts/document-findings
	$(Q)scripts/document-records

format: | build/setup-check.stamp
	clang-format -i $(OURS)
