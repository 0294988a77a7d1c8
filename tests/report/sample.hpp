// One fixed report with a little of everything.
#pragma once

#include <qkvet/report/report.hpp>

namespace qkvet {

[[nodiscard]] Report sample_report();

}  // namespace qkvet
