// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The runners, one source file per kind of vector file.

#include "cacheon/conformance.h"

namespace cacheon::conformance {

using Cases = Result<std::vector<CaseResult>>;

Cases RunAllReduce(const Json& document);
Cases RunArResidualRmsNorm(const Json& document);
Cases RunArchive(const Json& document);
Cases RunArtifactCanonicalJson(const Json& document);
Cases RunArtifactIdentity(const Json& document);
Cases RunArtifactManifests(const Json& document);
Cases RunAuthorities(const Json& document);
Cases RunBlockScore(const Json& document);
Cases RunCanonicalJson(const Json& document);
Cases RunComparators(const Json& document);
Cases RunCompileProfile(const Json& document);
Cases RunContentHash(const Json& document);
Cases RunDecode(const Json& document);
Cases RunDepPatch(const Json& document);
Cases RunExpressions(const Json& document);
Cases RunFastDivmod(const Json& document);
Cases RunFusedExperts(const Json& document);
Cases RunIdentities(const Json& document);
Cases RunLaunch(const Json& document);
Cases RunManifest(const Json& document);
Cases RunMoeFinalize(const Json& document);
Cases RunNvfp4(const Json& document);
Cases RunParameters(const Json& document);
Cases RunPlanSelection(const Json& document);
Cases RunPrefill(const Json& document);
Cases RunPublicationPaths(const Json& document);
Cases RunReceipts(const Json& document);
Cases RunResources(const Json& document);
Cases RunRmsNorm(const Json& document);
Cases RunRouting(const Json& document);
Cases RunSdpa(const Json& document);
Cases RunSiluAndMul(const Json& document);
Cases RunTargetCatalog(const Json& document);
Cases RunTargetResolution(const Json& document);
Cases RunTma(const Json& document);

}  // namespace cacheon::conformance
