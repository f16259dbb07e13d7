// The explorer's model outside the browser, for tests: a question a line in, an answer a line out.
#include "as_json.hpp"

#include <iostream>
#include <string>

int main() {
    for (std::string question; std::getline(std::cin, question);)
        std::cout << headway::explorer::answer(question) << '\n';
    return std::cout.flush() ? 0 : 3;
}
