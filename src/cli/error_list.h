// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a verb found wrong, all of it: as text, as JSON and as an exit status.

#include <span>
#include <string>
#include <vector>

#include "cacheon/core/error.h"

namespace cacheon::cli {

// One block per error, as FormatError writes it; a warning or note says so in front.
std::string ErrorsText(std::span<const Error> errors);

// The `errors` of a document.
Json ErrorsJson(std::span<const Error> errors);

// 0 when none is of severity error; else by whose fault they are: 4, then 3, then 2, then 1.
ExitStatus StatusOfErrors(std::span<const Error> errors);

// Ends a verb that has nothing else to say: the errors as a `cacheon.errors.v1` document where
// --json asks for one, and as text on stderr unless that document goes to stdout. Returns their
// status.
ExitStatus ReportErrors(const std::string& json, std::span<const Error> errors);

// Without those that say the same code about the same place as an earlier one.
std::vector<Error> WithoutRepeats(std::vector<Error> errors);

}  // namespace cacheon::cli
