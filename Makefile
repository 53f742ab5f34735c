# SPDX-License-Identifier: MIT
# wtrace. `make help` lists the targets.
# VARIANT selects a build: release (default), clang, asan, tsan, fuzz, cover, arm64. WERROR=1 makes warnings fatal,
# V=1 shows the commands. WITHOUT_BPF=1 builds without the BPF program and libbpf.
VARIANT ?= release
B := $(if $(filter release,$(VARIANT)),build,build/$(VARIANT))
PREFIX ?= /usr/local
OBJCOPY := objcopy
Q := $(if $(V),,@)
say = $(if $(V),@:,@echo "  $(1) $@")

CC := $(if $(filter default,$(origin CC)),gcc,$(CC))
CPPFLAGS += -I. -D_GNU_SOURCE $(if $(WITHOUT_BPF),-DWT_WITHOUT_BPF)
WARN := -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
CFLAGS ?= -O2 -g
ALL_CFLAGS := -std=gnu11 $(WARN) $(if $(WERROR),-Werror) $(CFLAGS) -fno-omit-frame-pointer
LIBS := $(if $(WITHOUT_BPF),,-lbpf) -lzstd -ljson-c -ltraceevent -ldw -lelf -liberty -llzma -lz -lm

# The arm64 build uses Debian's arm64 packages, unpacked below build/: nothing foreign is installed.
ARM_ROOT := build/arm64-root

ifeq ($(VARIANT),clang)
CC := clang
ALL_CFLAGS += -O0 -g0 # its warnings do not depend on how well it compiles
else ifeq ($(VARIANT),asan)
ALL_CFLAGS += -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all # lines are enough for its reports
LDFLAGS += -fsanitize=address,undefined
else ifeq ($(VARIANT),tsan)
ALL_CFLAGS += -O1 -fsanitize=thread
LDFLAGS += -fsanitize=thread
else ifeq ($(VARIANT),fuzz)
CC := clang
ALL_CFLAGS += -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
LDFLAGS += -fsanitize=fuzzer,address,undefined
else ifeq ($(VARIANT),cover)
CC := clang
ALL_CFLAGS += -O1 -fprofile-instr-generate -fcoverage-mapping
LDFLAGS += -fprofile-instr-generate
else ifeq ($(VARIANT),arm64)
CC := aarch64-linux-gnu-gcc --sysroot=$(abspath $(ARM_ROOT))
AR := aarch64-linux-gnu-ar
OBJCOPY := aarch64-linux-gnu-objcopy
READY := $(ARM_ROOT)/ready
else ifneq ($(VARIANT),release)
$(error unknown VARIANT '$(VARIANT)'; known: release clang asan tsan fuzz cover arm64)
endif

CORE_SRC := $(wildcard tracecore/*.c tracecore/*/*.c tracecore/*/*/*.c)
PERF_SRC := $(wildcard providers/perf/*.c)
MANIFEST_SRC := $(wildcard providers/manifest/*.c)
CONSUMER_SRC := $(wildcard consumers/*.c consumers/*/*.c)
SDK_SRC := $(wildcard providers/sdk/*.c)
TOOL_SRC := $(filter-out tools/wtrace.c,$(wildcard tools/*.c tools/*/*.c))
DOCS_SRC := docs/man.c docs/completion.c
MANIFESTS := $(wildcard manifests/*.json)
LIB_SRC := $(CORE_SRC) $(PERF_SRC) $(MANIFEST_SRC) $(SDK_SRC) $(CONSUMER_SRC) $(TOOL_SRC) $(DOCS_SRC)
LIB_OBJ := $(LIB_SRC:%.c=$(B)/obj/%.o)
UNIT_SRC := $(wildcard $(addprefix tests/unit/,*_test.c */*_test.c */*/*_test.c */*/*/*_test.c */*/*/*/*_test.c))
UNIT_BIN := $(UNIT_SRC:%.c=$(B)/%)
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)
FUZZ_BIN := $(FUZZ_SRC:%.c=$(B)/%)
PROGRAM_SRC := $(wildcard tests/programs/*.c)
# Programs of many kinds, each also without the library, and both also static, with two libcs.
KINDS := sdk_kinds sdk_processes sdk_odd sdk_malloc
PROGRAM_BIN := $(PROGRAM_SRC:%.c=$(B)/%) $(addprefix $(B)/tests/programs/,sdk_plugin.so static_sdk_app no_sdk_start \
	static_sdk_harm no_sdk_harm $(KINDS:%=no_%) $(if $(filter release,$(VARIANT)),musl_sdk_app $(KINDS:%=static_%) \
	$(KINDS:%=static_no_%) $(KINDS:%=musl_%) $(KINDS:%=musl_no_%)))

DOCS := build/docs/wtrace.1 build/docs/wtrace.bash

all: $(B)/wtrace sdk reader $(if $(filter release,$(VARIANT)),$(DOCS)) ## build the program, build/wtrace, the library for programs, build/sdk, and the one for readers of logs, build/reader

$(B)/wtrace: $(B)/obj/tools/wtrace.o $(B)/internal.a
	$(call say,LD)
	$(Q)$(CC) $(LDFLAGS) $(filter-out -fsanitize=fuzzer%,$(ALL_CFLAGS)) -o $@ $^ $(LIBS)

$(B)/internal.a: $(LIB_OBJ)
	@rm -f $@
	$(call say,AR)
	$(Q)$(AR) rcs $@ $^

# The man page and the completion have the options from the rows that the program parses with.
$(B)/docs/generate: $(B)/obj/docs/generate.o $(B)/internal.a
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(LDFLAGS) $(ALL_CFLAGS) -o $@ $^ $(LIBS)
$(DOCS): build/docs/%: docs/%.in $(B)/docs/generate
	$(call say,GEN)
	$(Q)$(B)/docs/generate $< >$@.new && mv $@.new $@

# Every source is compiled once, as a shared library needs it: the program and both libraries take what they call.
# Sanitizers look for names in tests.
OBJ_FLAGS = $(ALL_CFLAGS) -fPIC -fvisibility=hidden -ffunction-sections -fdata-sections -pthread
FLAGS := $(CC) $(CPPFLAGS) $(filter-out -Werror,$(OBJ_FLAGS)) $(LDFLAGS)
$(B)/flags: FORCE # what was compiled with others is compiled anew
	@mkdir -p $(@D)
	@echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' >$@
$(B)/obj/%.o: %.c $(B)/flags | $(READY)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) $(OBJ_FLAGS) $(if $(filter tests/%,$<),-fvisibility=default) -MMD -MP -c -o $@ $<
# Loops that are worth vectors; at -O2 gcc 12 makes them of few.
$(B)/obj/tracecore/logfmt/format/loops.o: OBJ_FLAGS += -O3

# What goes into other people's programs: a shared and a static library that show the names of wtrace.h alone. From
# the core they take what they call, the provider's side of enable and ring, and the walker. The static one is a single object whose
# own names are local, so that they cannot clash with a program's. nodelete: threads may still be in a call.
# noseparate-code: one mapping less, and fewer page faults, at the start of every program.
SDK := $(B)/sdk
SDK_SO := $(SDK)/libwtrace.so.0
SDK_SRC_ALL := $(SDK_SRC) $(filter-out $(addprefix tracecore/base/,apart% overlay.c remote.c stray.c thread_place.c writers.c),$(wildcard tracecore/base/*.c)) \
	$(wildcard tracecore/ring/*.c tracecore/enable/*.c) tracecore/schema/guid.c \
	tracecore/stackwalk/walk.c
SDK_OBJ := $(SDK_SRC_ALL:%.c=$(B)/obj/%.o)
SDK_OWN := $(SDK_SRC:%.c=$(B)/obj/%.o)
VERSION := $(shell sed -n 's/^\#define WT_VERSION "\(.*\)"/\1/p' tools/version.h)

sdk: $(SDK_SO) $(SDK)/libwtrace.so $(SDK)/libwtrace.a $(SDK)/wtrace.h

$(SDK)/core.a: $(filter-out $(SDK_OWN),$(SDK_OBJ))
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(SDK_SO): $(SDK_OWN) $(SDK)/core.a providers/sdk/wtrace.map
	$(call say,LD)
	$(Q)$(CC) $(OBJ_FLAGS) $(LDFLAGS) -shared -o $@ $(SDK_OWN) $(SDK)/core.a -Wl,-soname,$(@F) -Wl,--gc-sections \
		-Wl,--version-script=providers/sdk/wtrace.map -Wl,-z,noseparate-code -Wl,-z,nodelete,-z,now,-z,relro \
		$(if $(filter asan tsan fuzz,$(VARIANT)),,-Wl,-z,defs)

$(SDK)/libwtrace.so: $(SDK_SO)
	$(Q)ln -sf $(<F) $@

$(SDK)/libwtrace.a: $(SDK_OWN) $(SDK)/core.a
	@rm -f $@
	$(call say,AR)
	$(Q)$(CC) -r -nostdlib -o $(SDK)/libwtrace.o $(SDK_OWN) $(SDK)/core.a
	$(Q)$(OBJCOPY) --localize-hidden $(SDK)/libwtrace.o
	$(Q)$(AR) rcs $@ $(SDK)/libwtrace.o

$(SDK)/wtrace.h: providers/sdk/wtrace.h
	@mkdir -p $(@D)
	$(Q)cp $< $@

# What reads logs for others: a shared and a static library that show the names of wtrace_reader.h alone. The static
# one is a single object whose own names are local, as that of the SDK.
READER := $(B)/reader
READER_SO := $(READER)/libwtrace-reader.so.0
READER_SRC := $(wildcard consumers/reader/*.c)
READER_SRC_ALL := $(READER_SRC) $(CORE_SRC) $(wildcard consumers/model/*.c) consumers/session/place.c \
	$(wildcard consumers/symbols/*.c)
READER_OBJ := $(READER_SRC_ALL:%.c=$(B)/obj/%.o)
READER_OWN := $(READER_SRC:%.c=$(B)/obj/%.o)
READER_LIBS := $(if $(WITHOUT_BPF),,-lbpf) -lzstd -ljson-c -ldw -lelf -liberty -llzma -lz -lm

reader: $(READER_SO) $(READER)/libwtrace-reader.so $(READER)/libwtrace-reader.a $(READER)/wtrace_reader.h

$(READER)/core.a: $(filter-out $(READER_OWN),$(READER_OBJ))
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(READER_SO): $(READER_OWN) $(READER)/core.a consumers/reader/wtrace_reader.map
	$(call say,LD)
	$(Q)$(CC) $(OBJ_FLAGS) $(LDFLAGS) -shared -o $@ $(READER_OWN) $(READER)/core.a -Wl,-soname,$(@F) \
		-Wl,--gc-sections -Wl,--version-script=consumers/reader/wtrace_reader.map -Wl,-z,now,-z,relro \
		$(if $(filter asan tsan fuzz,$(VARIANT)),,-Wl,-z,defs) $(READER_LIBS)

$(READER)/libwtrace-reader.so: $(READER_SO)
	$(Q)ln -sf $(<F) $@

$(READER)/libwtrace-reader.a: $(READER_OWN) $(READER)/core.a
	@rm -f $@
	$(call say,AR)
	$(Q)$(CC) -r -nostdlib -o $(READER)/libwtrace-reader.o $(READER_OWN) $(READER)/core.a
	$(Q)$(OBJCOPY) --localize-hidden $(READER)/libwtrace-reader.o
	$(Q)$(AR) rcs $@ $(READER)/libwtrace-reader.o

$(READER)/wtrace_reader.h: consumers/reader/wtrace_reader.h
	@mkdir -p $(@D)
	$(Q)cp $< $@

# The commit, for --version.
REVISION := $(shell git rev-parse --short=8 HEAD 2>/dev/null || echo -)
$(B)/revision: FORCE
	@mkdir -p $(@D)
	@echo '$(REVISION)' | cmp -s - $@ || echo '$(REVISION)' >$@
$(B)/obj/tools/version.o: CPPFLAGS += -DWT_REVISION='"$(REVISION)"'
$(B)/obj/tools/version.o: $(B)/revision

# The words of other tools are rows of a table.
$(B)/tools/peers.inc: tools/peers.txt tools/peer_rows.awk
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)awk -f tools/peer_rows.awk $< >$@.new && mv $@.new $@
$(B)/obj/tools/peer_words.o: CPPFLAGS += -DWT_PEER_ROWS='"$(B)/tools/peers.inc"'
$(B)/obj/tools/peer_words.o: $(B)/tools/peers.inc

# The manifests are part of the program: an assembler file includes them byte for byte.
$(B)/obj/tracecore/schema/builtin.o: $(MANIFESTS)

# So is the help of each command.
$(B)/obj/tools/help_texts.o: $(wildcard tools/help/*.txt)

# So are the tables of PMUs, packed.
PMU_PACKED := $(patsubst manifests/%,$(B)/manifests/%.gz,$(wildcard manifests/pmu/*.json))
$(PMU_PACKED): $(B)/manifests/%.gz: manifests/%
	@mkdir -p $(@D)
	$(call say,GZIP)
	$(Q)gzip -9nc $< >$@.new && mv $@.new $@
$(B)/obj/consumers/pmu/builtin.o: CPPFLAGS += -DWT_PMU_PACKED='"$(B)/manifests/pmu"'
$(B)/obj/consumers/pmu/builtin.o: $(PMU_PACKED)
$(B)/obj/tests/unit/consumers/pmu/vectors_test.o: tests/unit/consumers/pmu/vectors.txt

# So is the BPF program, which clang makes for the kernel that will run it: the machine's is not this one's for arm64.
# WITHOUT_BPF=1 leaves it out, and libbpf.
BPF_MACHINE := $(if $(filter arm64,$(VARIANT))$(filter aarch64,$(shell uname -m)),arm64,x86)
BPF_FLAGS := -target bpf -O2 -g -Wall -Wextra -Wno-unused-parameter -I. -D__TARGET_ARCH_$(BPF_MACHINE) \
	$(if $(filter arm64,$(VARIANT)),-isystem $(ARM_ROOT)/usr/include)
BPF_OBJECTS := sample lives idle_points moves mm_locks task_regs
BPF_USERS := $(patsubst %,$(B)/obj/providers/perf/%.o,bpf life_ring idle_points moves task_regs)
$(B)/obj/providers/perf/bpf/%.bpf.o: providers/perf/bpf/%.bpf.c $(wildcard providers/perf/bpf/*.h) Makefile | $(READY)
	@mkdir -p $(@D)
	$(call say,BPF)
	$(Q)clang $(BPF_FLAGS) $(if $(WERROR),-Werror) -c -o $@ $<
$(BPF_USERS): CPPFLAGS += -DWT_BPF_OBJECTS='"$(B)/obj/providers/perf/bpf"'
$(BPF_USERS): $(if $(WITHOUT_BPF),,$(BPF_OBJECTS:%=$(B)/obj/providers/perf/bpf/%.bpf.o))

# Half of the time to link what ASan watches.
TEST_LD := $(if $(filter asan,$(VARIANT)),-fuse-ld=gold)

# A unit test links against the library; only what it needs is taken from there.
$(B)/tests/unit/%: $(B)/obj/tests/unit/%.o $(B)/internal.a
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $< $(B)/internal.a $(LDFLAGS) $(TEST_LD) -lcmocka $(LIBS)

# Lines are enough for a debugger, and for the reports of ASan; types take a third of the time.
$(B)/obj/tests/unit/%.o: private OBJ_FLAGS += $(if $(filter clang,$(VARIANT)),,-g1)

# How much of a stack events take is without what the dynamic loader takes when a function is first called.
$(B)/tests/unit/providers/sdk/room_test: LDFLAGS += -Wl,-z,now

# Golden files are embedded byte for byte.
$(addprefix $(B)/obj/tests/unit/,consumers/reader/values_test.o tracecore/logfmt/read/census_test.o \
	tracecore/logfmt/golden_test.o): $(wildcard tests/golden/*)

# Generated headers include the SDK as programs do.
$(B)/obj/tests/unit/providers/manifest/%.o: private CPPFLAGS += -Iproviders/sdk

# A fuzz target is one function; replay.c runs it over files, VARIANT=fuzz lets libFuzzer drive it.
FUZZ_MAIN := $(if $(filter fuzz,$(VARIANT)),,tests/fuzz/replay.c)
$(B)/tests/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(FUZZ_MAIN) $(B)/internal.a
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CPPFLAGS) $(filter-out -Wmissing-prototypes,$(ALL_CFLAGS)) -MMD -MP -MF $@.d -o $@ \
		$(filter %.c %.a,$^) $(LDFLAGS) $(TEST_LD) $(LIBS)

# Small programs that tests record: with frame pointers down to the leaves, but for two.
$(addprefix $(B)/tests/programs/,nofp frames twists): private ALL_CFLAGS += -fomit-frame-pointer
# It reads debug information.
$(B)/tests/programs/inlined: private LDFLAGS += $(LIBS)
$(B)/tests/programs/%: tests/programs/%.c $(B)/internal.a | $(READY)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -mno-omit-leaf-frame-pointer -MMD -MP -MF $@.d -o $@ $< $(B)/internal.a $(LDFLAGS) -lpthread

# The stepper, the walker for gdb, the benchmark of walks, and a program for gdb to stop.
STACKWALK_COMMON := $(addprefix tests/stackwalk/,target.c shadow.c qemu.c names.c aside.c)
STACKWALK_BIN := $(addprefix $(B)/tests/stackwalk/,step answer bench table_bench)
$(STACKWALK_BIN): $(B)/tests/stackwalk/%: tests/stackwalk/%.c $(STACKWALK_COMMON) $(B)/internal.a
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -MF $@.d -o $@ $(filter %.c %.a,$^) $(LDFLAGS) $(LIBS)
$(B)/tests/stackwalk/threads: tests/stackwalk/threads.cc
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CXX) -O2 -g -o $@ $< -pthread
stackwalk-build: $(STACKWALK_BIN) $(B)/tests/stackwalk/threads

# Programs that measure or strain the library from inside.
$(B)/tests/bench/%: tests/bench/%.c $(B)/internal.a
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -MF $@.d -o $@ $< $(B)/internal.a $(LDFLAGS) $(LIBS) -lpthread

# The stress programs have a ring of their own, compiled with the injection points of RING.md.
STRESS_RING := $(wildcard tracecore/ring/*.c)
# Measures the library as it is shipped, and plays its session.
$(B)/tests/bench/sdk_%: tests/bench/sdk_%.c $(SDK_SO) $(SDK)/libwtrace.so $(B)/internal.a
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -MF $@.d -o $@ $< $(LDFLAGS) -L$(SDK) -lwtrace \
		-Wl,-rpath,'$$ORIGIN/../../sdk' $(B)/internal.a $(LIBS) -lpthread

$(B)/tests/stress/log_%: tests/stress/log_%.c $(B)/internal.a
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -MF $@.d -o $@ $< $(B)/internal.a $(LDFLAGS) $(LIBS) -lpthread

# Counts each basic block that the reader of logs runs.
COUNTED := $(patsubst %.c,$(B)/counted/%.o,$(wildcard tracecore/logfmt/*/*.c tracecore/base/*.c))
$(B)/counted/%.o: %.c | $(READY)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) $(OBJ_FLAGS) -fsanitize-coverage=trace-pc -MMD -MP -c -o $@ $<
$(B)/tests/stress/log_bounds: tests/stress/log_bounds.c $(COUNTED) $(B)/internal.a
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -MF $@.d -o $@ $< $(COUNTED) $(B)/internal.a $(LDFLAGS) $(LIBS)

$(B)/tests/stress/%: tests/stress/%.c $(STRESS_RING) $(B)/internal.a | $(READY)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -fno-pie -no-pie -DWT_RING_INJECTION -MMD -MP -MF $@.d -o $@ \
		$(filter %.c %.a,$^) $(LDFLAGS) $(LIBS) -lpthread

$(ARM_ROOT)/ready: tests/vm/fetch.sh
	tests/vm/fetch.sh root $(ARM_ROOT)

# Programs with events of their own: with the shared library, and once more with everything static. The one whose start
# is measured finds the library as installed programs do; no_sdk_start is what it is compared with.
SDK_RPATH := -Wl,-rpath,'$$ORIGIN/../../sdk'
$(B)/tests/programs/sdk_start: SDK_RPATH :=
# Its small stacks have no room for a dynamic loader that looks a function up.
$(B)/tests/programs/sdk_kinds: private LDFLAGS += -Wl,-z,now
$(B)/tests/programs/sdk_%: tests/programs/sdk_%.c $(SDK_SO) $(SDK)/libwtrace.so
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -MF $@.d -o $@ $< $(LDFLAGS) -L$(SDK) -lwtrace \
		$(SDK_RPATH) -pthread -ldl
$(B)/tests/programs/reader_%: tests/programs/reader_%.c $(READER_SO) $(READER)/libwtrace-reader.so
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -Iconsumers/reader -MMD -MP -MF $@.d -o $@ $< $(LDFLAGS) -L$(READER) \
		-lwtrace-reader -Wl,-rpath,'$$ORIGIN/../../reader'
$(B)/tests/programs/sdk_plugin.so: tests/programs/plugin/sdk_plugin.c $(SDK_SO) $(SDK)/libwtrace.so
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -fPIC -shared -MMD -MP -MF $@.d -o $@ $< $(LDFLAGS) -L$(SDK) -lwtrace \
		-Wl,-rpath,'$$ORIGIN/../../sdk'
$(B)/tests/programs/no_sdk_%: tests/programs/sdk_%.c | $(READY)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -MF $@.d -DWT_WITHOUT -o $@ $< $(LDFLAGS)
$(B)/tests/programs/static_sdk_%: tests/programs/sdk_%.c $(SDK)/libwtrace.a
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -MF $@.d -DWT_STATIC -static -o $@ $< \
		$(SDK)/libwtrace.a -pthread

$(B)/tests/programs/static_no_sdk_%: tests/programs/sdk_%.c
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -MF $@.d -DWT_STATIC -DWT_WITHOUT -static -o $@ $<

# The same program with everything static and another libc, musl, which registers no rseq: the library's sources as they
# are. Kernel headers are not in Debian's musl-dev; they are the same ones.
MUSL := $(B)/musl
MUSL_CC := musl-gcc -std=gnu11 $(CPPFLAGS) -isystem $(MUSL)/include -O2 -g -ffunction-sections -Wall -Wextra $(if $(WERROR),-Werror)
$(MUSL)/include/ready:
	@mkdir -p $(@D)
	$(Q)ln -sfn /usr/include/linux $(@D)/linux
	$(Q)ln -sfn /usr/include/asm-generic $(@D)/asm-generic
	$(Q)ln -sfn /usr/include/$(shell gcc -print-multiarch)/asm $(@D)/asm
	$(Q)touch $@
$(MUSL)/%.o: %.c | $(MUSL)/include/ready
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(MUSL_CC) -MMD -MP -c -o $@ $<
$(B)/tests/programs/musl_sdk_%: tests/programs/sdk_%.c $(SDK_SRC_ALL:%.c=$(MUSL)/%.o)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(MUSL_CC) -MMD -MP -MF $@.d -DWT_STATIC -static -o $@ $(filter %.c %.o,$^) -Wl,--gc-sections
$(B)/tests/programs/musl_no_sdk_%: tests/programs/sdk_%.c | $(MUSL)/include/ready
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(MUSL_CC) -MMD -MP -MF $@.d -DWT_STATIC -DWT_WITHOUT -static -o $@ $<

STRESS_SRC := $(wildcard tests/stress/*.c)
STRESS_BIN := $(STRESS_SRC:%.c=$(B)/%)
BENCH_SRC := $(wildcard tests/bench/*.c)
BENCH_BIN := $(BENCH_SRC:%.c=$(B)/%)
stress-build: $(STRESS_BIN)
bench-build: $(BENCH_BIN)
unit-build: $(UNIT_BIN)
unit-objects: $(UNIT_BIN:$(B)/%=$(B)/obj/%.o) # compiled, not linked
fuzz-build: $(FUZZ_BIN)
programs: $(PROGRAM_BIN)

unit: $(UNIT_BIN) ## build and run the unit tests of one VARIANT
	@tests/run.py --variant $(VARIANT) unit

check: ## about a minute: gcc build, unit tests, layers, format, headers alone, size habits
	@tests/run.py check

test: ## everything, from a fresh clone: installs what it needs, then all stages
	@tests/deps.sh test
	@tests/run.py all

# The long forms of the tests: a ten-minute ring stress, 200,000 kills, a minute of overload, 100,000 damages of logs, 1,000
# kills of their writers and of workers, ten minutes of wake-ups, a million hard stacks, 100 work loops, 40 rounds of names
# that change, all programs under all limits, 50 sessions at once, a minute of a storm of processes.
NIGHT := WT_WHOLE=1 WT_SCRIPT_SECONDS=14400 WT_STRESS_SECONDS=600 WT_STRESS_KILLS=200000 WT_FAULTS="10000 100000"
NIGHT += WT_LOG_KILLS=1000 WT_BOUNDS=10000 WT_WORKER_KILLS=1000 WT_OVERLOAD_SECONDS=60 WT_WAKEUP_SECONDS=600
NIGHT += WT_PROOF_SAMPLES=1000000 WT_LOOPS=100 WT_LOOP_MS=20100 WT_NAMES_ROUNDS=40 WT_SEGMENTS=1000000 WT_ATTACK_WHOLE=1
NIGHT += WT_TARGET_RACES=2000 WT_LIVES=2000 WT_BOMB=1000 WT_SESSIONS=50 WT_STORM_SECONDS=60 WT_LIAR_STEPS=100000 WT_LIAR_PROGRAMS=40 WT_REWRITES=50 WT_PAUSE_SEEDS=200 WT_PAUSE_DAMAGES=3000

nightly: ## test in its long form, every instruction's stack in all builds, kills beside LTTng, ten minutes per fuzz target and what they cover
	@tests/deps.sh test
	@$(NIGHT) tests/run.py all stackwalk-all
	@$(MAKE) bench-build
	@tests/bench/kill_peer.py --kills 1000
	@$(MAKE) VARIANT=fuzz fuzz-build
	@$(MAKE) VARIANT=cover fuzz-build
	@for f in $(FUZZ_SRC:tests/fuzz/fuzz_%.c=%); do tests/fuzz/run.sh $$f 600 || exit 1; done
	@tests/fuzz/coverage.sh $(FUZZ_SRC:tests/fuzz/fuzz_%.c=%)

fuzz: ## one fuzz target: make fuzz TARGET=manifest SECONDS=60
	@$(MAKE) VARIANT=fuzz build/fuzz/tests/fuzz/fuzz_$(TARGET)
	@tests/fuzz/run.sh $(TARGET) $(or $(SECONDS),60)

coverage: ## which share of the lines it is for a fuzz target's corpus runs, and which not: make coverage TARGET=manifest
	@$(MAKE) VARIANT=cover build/cover/tests/fuzz/fuzz_$(TARGET)
	@tests/fuzz/coverage.sh $(TARGET)

demo: ## records the CPython example and shows the table, from a fresh clone
	@tests/deps.sh demo
	@$(MAKE) --no-print-directory all
	@tests/demo.sh

bench: all programs bench-build stackwalk-build ## side by side with perf and LTTng on the same work: tables, and JSON in build/bench*.json
	@tests/deps.sh bench
	@tests/bench/bench.py
	@tests/bench/stacks.py
	@tests/bench/walk.py
	@tests/bench/filter.py
	@tests/bench/sdk.py
	@tests/bench/rate.py
	@tests/bench/size.py
	@tests/bench/view.py
	@tests/bench/scan.py
	@tests/bench/annotate.py
	@tests/bench/count.py
	@tests/bench/kill_peer.py
	@build/tests/stackwalk/table_bench -l >build/bench_tables.json; code=$$?; cat build/bench_tables.json; exit $$code

fmt: ## clang-format every source file in place
	@tests/tidy/sources.sh | xargs clang-format -i

install: all ## to PREFIX (/usr/local), below DESTDIR
	install -D -m 755 build/wtrace $(DESTDIR)$(PREFIX)/bin/wtrace
	install -D -m 644 build/docs/wtrace.1 $(DESTDIR)$(PREFIX)/share/man/man1/wtrace.1
	install -D -m 644 build/docs/wtrace.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/wtrace
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/wtrace/manifests $(MANIFESTS)
	install -D -m 644 providers/sdk/wtrace.h $(DESTDIR)$(PREFIX)/include/wtrace.h
	install -D -m 755 $(SDK_SO) $(DESTDIR)$(PREFIX)/lib/libwtrace.so.0
	ln -sf libwtrace.so.0 $(DESTDIR)$(PREFIX)/lib/libwtrace.so
	install -D -m 644 $(SDK)/libwtrace.a $(DESTDIR)$(PREFIX)/lib/libwtrace.a
	mkdir -p $(DESTDIR)$(PREFIX)/lib/pkgconfig
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' providers/sdk/wtrace.pc.in \
		>$(DESTDIR)$(PREFIX)/lib/pkgconfig/wtrace.pc
	install -D -m 644 docs/wtrace.3 $(DESTDIR)$(PREFIX)/share/man/man3/wtrace.3
	install -D -m 644 docs/wtrace-reader.3 $(DESTDIR)$(PREFIX)/share/man/man3/wtrace-reader.3
	install -D -m 644 consumers/reader/wtrace_reader.h $(DESTDIR)$(PREFIX)/include/wtrace_reader.h
	install -D -m 755 $(READER_SO) $(DESTDIR)$(PREFIX)/lib/libwtrace-reader.so.0
	ln -sf libwtrace-reader.so.0 $(DESTDIR)$(PREFIX)/lib/libwtrace-reader.so
	install -D -m 644 $(READER)/libwtrace-reader.a $(DESTDIR)$(PREFIX)/lib/libwtrace-reader.a
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' consumers/reader/wtrace-reader.pc.in \
		>$(DESTDIR)$(PREFIX)/lib/pkgconfig/wtrace-reader.pc

clean: ## remove everything built
	rm -rf build

help: ## this list
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## /{printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: FORCE all sdk reader stackwalk-build unit-build unit-objects fuzz-build stress-build bench-build programs unit check test nightly fuzz coverage demo bench fmt install clean help
.SECONDARY:
-include $(LIB_OBJ:.o=.d) $(B)/obj/tools/wtrace.d $(B)/obj/docs/generate.d $(UNIT_SRC:%.c=$(B)/obj/%.d) $(FUZZ_BIN:%=%.d) $(PROGRAM_BIN:%=%.d) $(STRESS_BIN:%=%.d) $(COUNTED:.o=.d) $(BENCH_BIN:%=%.d) \
	$(SDK_SRC_ALL:%.c=$(MUSL)/%.d)
