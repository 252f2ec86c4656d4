// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The views of verdict documents that verbs write into files.

#include <span>

#include "src/cli/verb.h"

namespace cacheon::cli {

inline const Flag kJUnitFlag = {"--junit", FlagKind::kValue, "FILE",
                                "JUnit XML into FILE; - is stdout"};
inline const Flag kHtmlFlag = {"--html", FlagKind::kValue, "FILE",
                               "a page for a browser into FILE; - is stdout"};

// Whether a document or view takes stdout, so that no text may go there.
bool WritesToStdout(const Arguments& arguments);

// Writes what --junit and --html ask for. Code: io.write.
Status WriteReports(const Arguments& arguments, std::span<const Json> documents);

}  // namespace cacheon::cli
