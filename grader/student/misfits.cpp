#include "student/call_sentence.hpp"
#include "student/sweep.hpp"
#include "verdict/phrases.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace headway::judge {
namespace {

/// An axis of an argument.
struct Place {
    std::size_t argument = 0;
    std::size_t axis = 0;

    bool operator==(const Place&) const = default;
};

/// The places that have the same size.
struct SameSize {
    std::vector<Place> places;
    bool stands_elsewhere = false;  ///< in an argument that is no tensor, or as part of a product
};

std::size_t argument_of(const Arguments& arguments, const std::string& name) {
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (arguments[i].name == name) return i;
    throw std::invalid_argument("the call has no argument " + name);
}

/// By the name of the size.
std::map<std::string, SameSize> read(const std::string& shapes, const Arguments& arguments) {
    std::map<std::string, SameSize> sizes;
    std::istringstream text(shapes);
    for (std::string part; std::getline(text, part, ',');) {
        std::istringstream words(part);
        std::string name;
        std::getline(words, name, ':');
        name.erase(0, name.find_first_not_of(' '));
        const std::size_t argument = argument_of(arguments, name);
        std::size_t axis = 0;
        for (std::string size; words >> size;) {
            const bool elsewhere = size.ends_with('!');
            if (elsewhere) size.pop_back();
            SameSize& same = sizes[size];
            same.stands_elsewhere |= elsewhere;
            same.places.push_back({argument, axis++});
        }
    }
    return sizes;
}

/// Which places are changed together: each alone, all of one argument, all but those of one argument, and all, if the
/// size stands elsewhere too.
std::vector<std::vector<Place>> changed_together(const SameSize& same) {
    const std::vector<Place>& places = same.places;
    std::vector<std::vector<Place>> sets;
    std::set<std::size_t> arguments;
    for (const Place& place : places) {
        arguments.insert(place.argument);
        if (places.size() > 1 || same.stands_elsewhere) sets.push_back({place});
    }
    for (const std::size_t argument : arguments) {
        std::vector<Place> of_it, others;
        for (const Place& place : places) (place.argument == argument ? of_it : others).push_back(place);
        if (of_it.size() > 1 && !others.empty()) sets.push_back(of_it);
        if (others.size() > 1) sets.push_back(others);
    }
    if (same.stands_elsewhere && places.size() > 1) sets.push_back(places);
    return sets;
}

/// Two of more places, of two arguments: what compares these with one another alone lets them through.
std::vector<std::vector<Place>> changed_in_pairs(const SameSize& same) {
    std::vector<std::vector<Place>> pairs;
    if (same.places.size() < 3) return pairs;
    for (auto one = same.places.begin(); one != same.places.end(); ++one)
        for (auto other = std::next(one); other != same.places.end(); ++other)
            if (one->argument != other->argument) pairs.push_back({*one, *other});
    return pairs;
}

std::string names_of(const Arguments& arguments, const std::vector<Place>& places) {
    std::vector<std::string> names;
    for (const Place& place : places)
        if (std::find(names.begin(), names.end(), arguments[place.argument].name) == names.end())
            names.push_back(arguments[place.argument].name);
    return verdict::listed(names);
}

/// Whether one of these arguments has the size along two axes: which of them is meant, its name does not say.
bool stands_twice(const SameSize& same, const std::vector<Place>& changed) {
    return std::any_of(changed.begin(), changed.end(), [&](const Place& place) {
        return std::count_if(same.places.begin(), same.places.end(),
                             [&](const Place& other) { return other.argument == place.argument; }) > 1;
    });
}

/// "w_v is (30, 60) and w_o is (60, 30) where (30, 30) would fit"
std::string reason_by_shapes(const Arguments& arguments, const Arguments& fitting, const std::vector<Place>& places) {
    std::vector<std::string> changed, shapes, due;
    const auto add = [](std::vector<std::string>& to, const std::string& one) {
        if (std::find(to.begin(), to.end(), one) == to.end()) to.push_back(one);
    };
    const auto shape = [](const wire::Field& field) {
        return headway::to_string(std::get<Tensor>(field.value).shape());
    };
    for (const Place& place : places) {
        add(changed, arguments[place.argument].name + " is " + shape(arguments[place.argument]));
        add(shapes, shape(arguments[place.argument]));
        add(due, shape(fitting[place.argument]));
    }
    if (changed.size() > 1 && shapes.size() == 1) changed = {names_of(arguments, places) + " are " + shapes.front()};
    return verdict::listed(changed) + " where " + verdict::listed(due) + " would fit";
}

/// "k and v have H = 4 where 3 would fit"
std::string reason(const Arguments& arguments, const std::vector<Place>& places, const std::string& size, Index is,
                   Index was) {
    const std::string names = names_of(arguments, places);
    const bool several = names.find(" and ") != std::string::npos;
    return names + (several ? " have " : " has ") + size + " = " + std::to_string(is) + " where " +
           std::to_string(was) + " would fit";
}

/// The arguments in which two neighbouring axes cannot change places: their sizes differ, and one of them has to be
/// what it is elsewhere. What compares numbers of elements alone lets such a tensor through.
std::map<std::size_t, Shape> turned(const Arguments& arguments, const std::map<std::string, SameSize>& sizes) {
    std::map<std::size_t, Shape> shapes;
    for (const auto& [size, same] : sizes) {
        if (same.places.size() == 1 && !same.stands_elsewhere) continue;
        for (const Place& place : same.places) {
            Shape shape = std::get<Tensor>(arguments[place.argument].value).shape();
            const std::size_t neighbour = place.axis > 0 ? place.axis - 1 : 1;
            if (neighbour >= shape.size() || shape[neighbour] == shape[place.axis]) continue;
            std::swap(shape[neighbour], shape[place.axis]);
            shapes.try_emplace(place.argument, shape);
        }
    }
    return shapes;
}

/// Whether all places of one of the sets are among these.
bool is_among(const std::vector<std::vector<Place>>& sets, const std::vector<Place>& places) {
    return std::any_of(sets.begin(), sets.end(), [&](const std::vector<Place>& set) {
        return std::all_of(set.begin(), set.end(), [&](const Place& one) {
            return std::find(places.begin(), places.end(), one) != places.end();
        });
    });
}

Arguments with_size(Arguments arguments, const std::vector<Place>& places, Index size, Random& random) {
    std::map<std::size_t, Shape> shapes;
    for (const Place& place : places) {
        const auto& tensor = std::get<Tensor>(arguments[place.argument].value);
        shapes.try_emplace(place.argument, tensor.shape()).first->second.at(place.axis) = size;
    }
    for (const auto& [argument, shape] : shapes) arguments[argument].value = random_tensor(random, shape);
    return arguments;
}

}  // namespace

void refuses_misfits(Student& student, Random& random, const std::string& function, const Arguments& arguments,
                     const std::string& shapes, Broadcast broadcast) {
    std::vector<DrawAndAsk> questions;
    std::vector<std::vector<Place>> let_through;
    const std::map<std::string, SameSize> sizes = read(shapes, arguments);
    for (const auto& [argument, shape] : turned(arguments, sizes))
        questions.emplace_back([&, argument = argument, shape = shape](Random& own) {
            Arguments with = arguments;
            const Shape was = std::get<Tensor>(arguments[argument].value).shape();
            with[argument].value = random_tensor(own, shape);
            student.refuses(function, with,
                            arguments[argument].name + " is " + headway::to_string(shape) + " where " +
                                headway::to_string(was) + " would fit");
        });
    for (const auto& named : sizes) {
        const std::string& size = named.first;
        const auto& same = named.second;
        const Place& first = same.places.front();
        const Index was = std::get<Tensor>(arguments[first.argument].value).size(static_cast<Index>(first.axis));
        std::set<Index> others{was + 1, 2 * was};
        if (broadcast == Broadcast::refused && was > 1) others.insert(1);
        const auto ask = [&](const std::vector<Place>& changed, Index is) {
            questions.emplace_back([&, size, changed, is, was](Random& own) {
                // Where one argument alone is let through, its check is the one that is missing.
                if (is_among(let_through, changed)) return;
                const std::size_t before = student.test_record().let_through.size();
                const Arguments with = with_size(arguments, changed, is, own);
                student.refuses(function, with,
                                stands_twice(same, changed) ? reason_by_shapes(with, arguments, changed)
                                                            : reason(arguments, changed, size, is, was));
                if (student.test_record().let_through.size() > before) let_through.push_back(changed);
            });
        };
        for (const std::vector<Place>& changed : changed_together(same))
            for (const Index is : others) ask(changed, is);
        // Twice as many divide among the heads too.
        for (const std::vector<Place>& changed : changed_in_pairs(same)) ask(changed, 2 * was);
    }
    const SweepInTurn noted(student, "misfits", shapes, questions.size(), {function});
    ask_in_turn(student, random, questions);
}

void refuses_uneven_heads(Student& student, Random& random, const std::string& function, const Arguments& arguments,
                          Index D) {
    const std::size_t num_heads = argument_of(arguments, "num_heads");
    std::vector<DrawAndAsk> questions;
    for (const Index H : {Index{0}, Index{-1}, -D})
        questions.emplace_back([&, H](Random&) {
            Arguments none = arguments;
            none[num_heads].value = H;
            student.refuses(function, none, "num_heads = " + std::to_string(H) + ": there must be a head",
                            H == 0 ? "no heads" : "negative heads");
        });
    for (Index H = 2; H < D; ++H)
        if (D % H != 0)
            questions.emplace_back([&, H](Random&) {
                Arguments uneven = arguments;
                uneven[num_heads].value = H;
                student.refuses(function, uneven,
                                "D = " + std::to_string(D) + " is not divisible by " + std::to_string(H) + " heads",
                                "uneven heads");
            });
    ask_in_turn(student, random, questions);
}

void refuses_masks(Student& student, Random& random, const Shape& scores, const std::string& function,
                   const std::function<Arguments(const Mask&)>& with) {
    const Index B = scores[0], H = scores[1], T = scores[2], S = scores[3];
    std::vector<Shape> shapes{{S + 1}, {T + 1, S}, {H + 1, T, S}, {B + 1, H, T, S}};
    if (B != T && B > 1) shapes.push_back({B, S});     // one of keys for each sequence is (B, 1, 1, S)
    if (B != H && B > 1) shapes.push_back({B, T, S});  // three axes are (H, T, S)
    std::vector<DrawAndAsk> questions;
    questions.reserve(shapes.size());
    for (const Shape& shape : shapes)
        questions.emplace_back([&](Random&) {
            student.refuses(function, with(Mask::allow_all(shape)),
                            "a mask " + headway::to_string(shape) + " does not broadcast to the scores " +
                                headway::to_string(scores),
                            "a mask of " + std::to_string(shape.size()) + " axes");
        });
    ask_in_turn(student, random, questions);
}

}  // namespace headway::judge
