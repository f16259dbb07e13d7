#pragma once

#include "report/findings.hpp"

#include <nlohmann/json.hpp>

#include <vector>

namespace headway::report {

/// GitLab's code quality report [docs.gitlab.com/ci/testing/code_quality]: what is wrong, beside the lines of a merge
/// request. @param findings  with files from the repository's root
nlohmann::json gitlab_code_quality(const std::vector<Finding>& findings);

}  // namespace headway::report
