// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Files of verdict documents that verbs read, and the views of them that verbs write.

#include <span>

#include "src/cli/verb.h"

namespace cacheon::cli {

inline const Flag kJUnitFlag = {"--junit", FlagKind::kValue, "FILE",
                                "JUnit XML into FILE; - is stdout"};
inline const Flag kHtmlFlag = {"--html", FlagKind::kValue, "FILE",
                               "a page for a browser into FILE; - is stdout"};

// The verdicts of a file. Codes: io.*, and those of verify::ReadVerdicts, with the file.
Result<Json::Array> ReadVerdictFile(const std::string& path);

// The only one. Code: usage.one_verdict (the file holds several).
Result<Json> ReadOneVerdict(const std::string& path);

// Whether a document or view takes stdout, so that no text may go there.
bool WritesToStdout(const Arguments& arguments);

// Writes what --junit and --html ask for. Code: io.write.
Status WriteReports(const Arguments& arguments, std::span<const Json> documents);

}  // namespace cacheon::cli
