// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/cli/verb.h"

int main(int argc, char** argv) { return cacheon::cli::Main(argc, argv); }
