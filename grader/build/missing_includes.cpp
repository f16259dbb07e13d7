// Names of the standard library whose header is missing. ./headway grade includes most headers before the first line of
// a submission (prelude.hpp); ./headway try and debug compile the file as it is.
#include "build/beginners_errors.hpp"

namespace headway::build {
namespace {

// What both compilers say of a name that no header declares.
#define NOT_IN_STD(names)                           \
    "'(?:std::)?(" names                            \
    ")' (?:is not a member of|in namespace) 'std'|" \
    "no (?:member|template|type) named '(" names ")' in namespace 'std'"
#define INCLUDE_IT(header) "std::$1$2 is declared in <" header ">: write #include <" header "> at the top of this file."
#define AS_GRADE_DOES " (./headway grade includes it by itself, so it does not miss it.)"

constexpr BeginnersError includes[] = {
    {NOT_IN_STD("clamp|find|find_if|find_if_not|find_first_of|any_of|all_of|none_of|count|count_if|sort|stable_sort|"
                "nth_element|partial_sort|max_element|min_element|minmax|minmax_element|transform|for_each|reverse|"
                "rotate|unique|generate|replace|remove|remove_if|copy_if|copy_n|lower_bound|upper_bound|binary_search|"
                "is_sorted|shuffle|merge|next_permutation"),
     "", INCLUDE_IT("algorithm") AS_GRADE_DOES},
    {NOT_IN_STD("accumulate|iota|inner_product|partial_sum|adjacent_difference|reduce|gcd|lcm|midpoint"), "",
     INCLUDE_IT("numeric") AS_GRADE_DOES},
    {NOT_IN_STD("sqrt|exp|log|log2|pow|sin|cos|tan|tanh|erf|fabs|floor|ceil|round|nearbyint|trunc|fmod|ilogb|ldexp|"
                "hypot|copysign|isfinite|isinf|isnan|signbit"),
     "", INCLUDE_IT("cmath") AS_GRADE_DOES},
    {NOT_IN_STD("numeric_limits"), "", INCLUDE_IT("limits") AS_GRADE_DOES},
    {NOT_IN_STD("invalid_argument|out_of_range|runtime_error|logic_error|domain_error|length_error"), "",
     INCLUDE_IT("stdexcept") AS_GRADE_DOES},
    {NOT_IN_STD("array"), "", INCLUDE_IT("array") AS_GRADE_DOES},
    {NOT_IN_STD("function|multiplies|plus|minus|greater|bind"), "", INCLUDE_IT("functional") AS_GRADE_DOES},
    {NOT_IN_STD("cout|cerr|endl|cin"), "", INCLUDE_IT("iostream") AS_GRADE_DOES},
    {NOT_IN_STD("optional|nullopt|make_optional"), "", INCLUDE_IT("optional") AS_GRADE_DOES},
    {NOT_IN_STD("mt19937|mt19937_64|bernoulli_distribution|uniform_real_distribution|uniform_int_distribution|"
                "normal_distribution|random_device"),
     "", INCLUDE_IT("random") AS_GRADE_DOES},
    {NOT_IN_STD("span"), "", INCLUDE_IT("span") AS_GRADE_DOES},
    {NOT_IN_STD("set|multiset"), "", INCLUDE_IT("set")},
    {NOT_IN_STD("map|multimap"), "", INCLUDE_IT("map")},
    {NOT_IN_STD("unordered_set"), "", INCLUDE_IT("unordered_set")},
    {NOT_IN_STD("unordered_map"), "", INCLUDE_IT("unordered_map")},
    {NOT_IN_STD("deque"), "", INCLUDE_IT("deque")},
    {NOT_IN_STD("complex|polar"), "", INCLUDE_IT("complex")},
    {NOT_IN_STD("ostringstream|istringstream|stringstream"), "", INCLUDE_IT("sstream")},
    {NOT_IN_STD("setw|setprecision|setfill"), "", INCLUDE_IT("iomanip")},
    {NOT_IN_STD("memcpy|memset|memmove"), "", INCLUDE_IT("cstring")},
    {NOT_IN_STD("bit_cast|popcount|countr_zero"), "", INCLUDE_IT("bit")},
    // Of std::find there is one for streams, which other headers bring: then it is the arguments that do not fit.
    {R"(call to 'find\b)", R"(std::find\()",
     "std::find of a list is declared in <algorithm>: is there an #include <algorithm> at the top of this file? If so, "
     "compare the arguments: two ends of one list, and what is looked for."},
};

}  // namespace

std::span<const BeginnersError> missing_includes() { return includes; }

}  // namespace headway::build
