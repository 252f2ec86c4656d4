// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The sources that `new` starts a bundle with, one per slot: correct kernels in plain torch. They
// are the files of src/cli/templates, compiled in.

#include <string_view>

namespace cacheon::cli {

std::string_view SiluAndMulTemplate();
std::string_view RmsNormTemplate();
std::string_view SdpaTemplate();
std::string_view DecodeTemplate();
std::string_view MsaBlockScoreTemplate();
std::string_view MsaPrefillTemplate();
std::string_view FusedExpertsTemplate();
std::string_view FusedExpertsReduceTemplate();
std::string_view AllReduceTemplate();
std::string_view ArResidualRmsNormTemplate();
std::string_view MoeFinalizeTemplate();

}  // namespace cacheon::cli
