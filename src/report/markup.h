// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text for XML and HTML. What a candidate may have chosen can neither open an element nor end an
// attribute, nor hold a character that XML forbids.

#include <string>
#include <string_view>

namespace cacheon::report {

// One line: line ends are shown as escapes.
std::string Markup(std::string_view text);

// The same with line ends kept, for the content of an element.
std::string MarkupLines(std::string_view text);

}  // namespace cacheon::report
