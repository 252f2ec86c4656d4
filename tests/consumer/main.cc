// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Uses one function of each kind of an installed cacheon: inline, linked, and from a library that
// cacheon links. Ends with status 0 when headers and libraries are of one version.

#include <cacheon/core.h>
#include <cacheon/version.h>

static_assert(CACHEON_VERSION_MAJOR >= 0 && CACHEON_VERSION_MINOR >= 0);

int main() {
  const bool known = cacheon::Code::Find("io.open") == cacheon::Code("io.open");
  const auto digest = cacheon::DomainDigest("consumer.test", cacheon::Json::Array{1, 2});
  return known && digest && digest->size() == 64 && cacheon::Version() == CACHEON_VERSION ? 0 : 1;
}
