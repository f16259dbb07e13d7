#include "labs/frame/results.hpp"

#include "labs/frame/program.hpp"
#include "terminal/console.hpp"

#include <fmt/format.h>

namespace headway::lab {

void deliver(const CommonArguments& arguments, const std::string& lab, const Results& results) {
    const std::string file = arguments.output + "/" + lab + ".html";
    write_file(file, results.picture);
    if (arguments.json) write_json(*arguments.json, results.numbers());
    if (arguments.json == "-") return;
    auto style = cli::terminal_style();
    style.verbose = true;  // what a lab found out is shown whole
    report::Page page(style);
    results.show_in_terminal(page);
    page.blank();
    page.line(0, {{"the pictures: " + shown(file)}});
    fmt::print("{}", page.take());
}

}  // namespace headway::lab
