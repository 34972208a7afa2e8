# Shortcuts for meson and the scripts.
PREFIX ?= /usr/local
BUILD ?= build

all: ; scripts/build $(BUILD) ''
trefoil: ; scripts/build $(BUILD) trefoil
check: ; ./check
bare: ; scripts/bare
install: trefoil ; scripts/install '$(BUILD)' '$(DESTDIR)$(PREFIX)'
chaos: ; scripts/build $(BUILD) '' && tests/chaos/chaos.py $(BUILD)/trefoil $(BUILD)/tests/e2e/libshim.so
bench: ; scripts/install-deps build check bench && scripts/build $(BUILD) '' && tests/bench/bench.py $(BUILD)
conformance: ; scripts/build $(BUILD) '' && tests/conformance/run $(BUILD)
tck: ; scripts/build $(BUILD) trefoil && tests/tck/run $(BUILD)
fuzz: ; scripts/fuzz
peers: trefoil ; tests/peers/run $(BUILD) && tests/peers/acp/run $(BUILD)
soak: trefoil ; tests/soak/soak.py $(BUILD)/trefoil full $(SEED)
fmt: ; git ls-files '*.[ch]' | xargs clang-format -i
clean: ; rm -rf build build-*

.PHONY: all trefoil check bare install bench chaos conformance fuzz peers soak fmt clean tck
