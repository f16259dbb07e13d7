#pragma once

#include "report/findings.hpp"

#include <nlohmann/json.hpp>

#include <functional>

namespace headway::report {

/// What a file is called where the report is read. @param graded  below the folder that was graded:
/// "03_scaled_scores/scaled_scores.cpp"   @return with a line only if that is one of the file's own
using Renamed = std::function<Location(const Location& graded)>;

/// The verdict as SARIF 2.1.0, for editors and for code scanning [docs.oasis-open.org/sarif/sarif/v2.1.0]: a result for
/// each property that failed, at its line or, where none is known, at the file; a property is a rule. So is that an
/// exercise builds. What was not judged, or is not written yet, is no result; an exercise that could not be graded is a
/// notification of a run that did not succeed, never a result. Links and placeholders that a submission writes stay
/// text.
/// @param renamed  none: files are called as they were graded
nlohmann::json sarif(const verdict::Verdict& verdict, const Renamed& renamed = nullptr);

}  // namespace headway::report
