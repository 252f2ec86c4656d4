# SPDX-FileCopyrightText: The cacheon authors
# SPDX-License-Identifier: Apache-2.0
#
# The scripts by name. They install what they need; see scripts/packages.txt.
.PHONY: demo build test lint bench fuzz coverage install
demo build test lint fuzz coverage:
	scripts/$@
# ONLY=area runs the benchmarks of one area.
bench:
	scripts/bench $(ONLY)
# PREFIX=/usr/local
install: build
	cmake --install build/release $(if $(PREFIX),--prefix $(PREFIX))
