// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// report: views of documents. A verdict document is made once; text, JUnit, SARIF and HTML are read
// from it, so that an archived verdict can be viewed again. Nothing here decides anything.

#include "cacheon/report/comparison.h"     // IWYU pragma: export
#include "cacheon/report/html.h"           // IWYU pragma: export
#include "cacheon/report/junit.h"          // IWYU pragma: export
#include "cacheon/report/sarif.h"          // IWYU pragma: export
#include "cacheon/report/text.h"           // IWYU pragma: export
#include "cacheon/report/verdict_sarif.h"  // IWYU pragma: export
