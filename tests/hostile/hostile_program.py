"""A right solution of exercise 01 that calls an attack: single_head.cpp, and attack.cpp beside it."""

SUCCESS = "HOSTILE-SUCCESS"
BEFORE = f"""#include <cstdio>
#include <cstdlib>

[[noreturn, maybe_unused]] static void succeeded(const char* what) {{
    std::printf("%s-%s %s\\n", "{SUCCESS.split('-')[0]}", "{SUCCESS.split('-')[1]}", what);
    std::fflush(stdout);
    std::abort();
}}
#line 1 "attack.cpp"
"""
AFTER = {
    "source": "void hostile_call() {}\n",
    "call": "void hostile_call() { attack(); }\n",
    "constructor": "__attribute__((constructor)) static void at_start() { attack(); }\nvoid hostile_call() {}\n",
    "exit": "void hostile_call() {\n    static const int once = std::atexit(attack);\n    (void)once;\n}\n",
}
SOFTMAX = """
#undef softmax_rows
void hostile_call();
namespace headway::ex01 {
Tensor softmax_rows(const Tensor& scores) {
    const Tensor answer = softmax_rows_of_the_solution(scores);
    hostile_call();
    return answer;
}
}
"""


def calling_an_attack(solution):
    """solution: the text of a right single_head.cpp, whose softmax_rows then calls hostile_call()."""
    return ('#include "single_head.hpp"\n'
            "namespace headway::ex01 { Tensor softmax_rows_of_the_solution(const Tensor& scores); }\n"
            "#define softmax_rows softmax_rows_of_the_solution\n" + solution + "\n#undef softmax_rows\n" + SOFTMAX)


def attack_source(attack, where):
    """where: as in hostile.toml. What is only compiled may end in a line without an end."""
    return BEFORE + attack + ("" if where == "source" else "\n") + AFTER[where]
