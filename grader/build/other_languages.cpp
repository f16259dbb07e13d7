#include "build/beginners_errors.hpp"

namespace headway::build {
namespace {

// As both compilers say that they do not know a name.
#define UNKNOWN_NAME(names) \
    "'(?:" names ")' (?:was not declared|does not name|has not been)|undeclared identifier '(?:" names ")'"

#define A_LIST_HAS_NO_ARITHMETIC                                                                                       \
    "A std::vector has no arithmetic: go through its elements in a loop, as in for (std::size_t i = 0; i < a.size(); " \
    "++i) a[i] += b[i];  To put one behind the other: a.insert(a.end(), b.begin(), b.end());"

#define OF_TENSORS_ALONE \
    "slice|select|view|transpose|contiguous|is_contiguous|fill|copy_from|offset|owns_storage|shares_storage_with"

/// What may stand in the round brackets of for where commas are taken for its semicolons. A part ends with the first
/// comma: where each of three could take any, the time grew with the cube of the line.
#define PART_OF_A_HEAD R"((?:[^,;:()]|::|\((?:[^;()]|\([^;()]*\))*\))*)"
#define REST_OF_A_HEAD R"((?:[^;:()]|::|\((?:[^;()]|\([^;()]*\))*\))*)"

/// x[0, 1], and no list of captures.
#define SEVERAL_IN_SQUARE_BRACKETS R"([\w)\]]\[\s*\w+\s*,[^\[\]]*\])"

constexpr BeginnersError habits[] = {
    {UNKNOWN_NAME("True|False"), "", "C++ writes true and false, in small letters."},
    {UNKNOWN_NAME("None|null|nil"), "",
     "C++ has no such word. Tensor{} and Mask{} are those that are not there: ask mask.defined()."},
    {UNKNOWN_NAME("len"), "", "The size of an axis of a tensor is x.size(axis), that of a std::vector v.size()."},
    {UNKNOWN_NAME("print"), "", R"(C++ prints with std::cout << x << '\n'; and takes tensors there, too.)"},
    {UNKNOWN_NAME("mat_mul|matMul|MatMul|mm|bmm|dot|einsum"), "", "Matrices are multiplied by matmul(a, b)."},
    {R"((?:operator[!=]=' \(operand types are|binary expression \() ?'(?:const )?Tensor' and '(?:const )?(?:int|float|double|Index)')",
     R"(\]\s*\[)",
     "x[i][j] is a Tensor still, at the last axis one of rank 0. One number is in round brackets: x(i, j)."},
    {R"((?:operator[!=]=' \(operand types are|binary expression \() ?'(?:const )?Tensor' and '(?:const )?(?:int|float|double|Index)'|'(?:const )?Tensor' to (?:function return type )?'(?:const )?(?:float|double|Index|long|int)')",
     SEVERAL_IN_SQUARE_BRACKETS,
     "Square brackets take one index, and of x[i, j] the last alone. One number is in round brackets: x(i, j)."},
    {R"(macro "\w+" passed|too many arguments provided to function-like macro|'(?:EXPECT|ASSERT)_\w+'|identifier '(?:EXPECT|ASSERT)_\w+')",
     R"(\b(?:EXPECT|ASSERT)_\w+\(.*)" SEVERAL_IN_SQUARE_BRACKETS,
     "One number of a tensor is in round brackets: x(i, j). For a macro, each comma in square brackets parts two "
     "arguments."},
    {R"(macro "\w+" passed|too many arguments provided to function-like macro|'(?:EXPECT|ASSERT)_\w+'|identifier '(?:EXPECT|ASSERT)_\w+')",
     R"(\b((?:EXPECT|ASSERT)_\w+)\((?:[^()]|\([^()]*\))*\{[^{}()]*,)",
     "For a macro, each comma in braces parts two arguments: put what has braces in round brackets of its own, as in "
     "@1(x.shape(), (Shape{2, 3}))."},
    {R"(operator[!=]='[^]*Tensor|invalid operands to binary expression \('(?:const )?Tensor')",
     R"(\b((?:EXPECT|ASSERT)_(?:EQ|NE))\b(?!.*\]\s*\[))",
     "Tensors are not compared as a whole. Expect it of each number, in loops, by one index per axis: @1(a(i, j), b(i, "
     "j))."},
    {UNKNOWN_NAME("softmax"), "",
     "There is no softmax here. Of rows x it is e = exp(x - max(x, -1, KeepAxis::yes)), divided by sum(e, -1, "
     "KeepAxis::yes)."},
    {UNKNOWN_NAME("(?:max|min)imum"), R"(\b(max|min)imum\()",
     "There is no @1imum here. Of two tensors, write a loop with std::@1; over one axis there is max(x, axis)."},
    {R"(call to '(?:sum|mean|max)\b)", R"((?:^|[^:\w.])(sum|mean|max)\((?:[^()]|\([^()]*\))*,\s*(?:true|false|1)\s*\))",
     "Whether the axis stays is said in words: @1(x, -1, KeepAxis::yes)."},
    // clang++ names no types: what it says of max fits whatever was given.
    {R"(call to 'max\((?:const )?Tensor&?, (?:const )?Tensor&?|call to 'max'$|call to 'max'\n)",
     R"((?:^|[^:\w])max\(.*,)",
     "max takes a tensor and an axis, or two numbers of one type. There is none of two tensors: write a loop with "
     "std::max, or, if both are columns, max(cat({a, b}, -1), -1, KeepAxis::yes)."},
    // Only of a head with two commas, outside of brackets of its own, that has no semicolon and goes through no list.
    {R"(\bfor\b|redefinition of|expected ';'|at end of declaration)",
     R"(\bfor\s*\()" PART_OF_A_HEAD "," PART_OF_A_HEAD "," REST_OF_A_HEAD R"(\))",
     "The three parts of for are parted by semicolons: for (Index i = 0; i < n; ++i)."},
    {UNKNOWN_NAME("elif"), "", "C++ writes else if (…) {"},
    {UNKNOWN_NAME("torch|np|numpy|jnp|tf"), "",
     "There is no PyTorch or NumPy here. What there is stands in tensor/include/headway."},
    {R"(' ?in ?'|before 'in'|in 'for')", R"(\bfor\s*\(?\s*(?:const\s+)?(?:[\w:]+&?\s+)?\w+(?:\s*,\s*\w+)*\s+in\b)",
     "C++ counts with for (Index i = 0; i < n; ++i), or goes through a list with for (const Index size : sizes)."},
    {R"((?:stray|unexpected) '@' in program)", "", "C++ has no @: matmul(a, b) multiplies matrices."},
    {R"(vector[^]*'append'|'append'[^]*vector)", "", "A std::vector grows by push_back: v.push_back(n);"},
    // clang++ names no types where += is missing: only a cache's lengths are known to be a list.
    {R"(no match for 'operator[-+*/]=?' \(operand types are '(?:const )?(?:std::)?vector<[^']*' and '(?!(?:const )?(?:headway::)?Tensor')|invalid operands to binary expression \('(?:const )?(?:std::)?vector<[^']*'(?: \(aka '[^']*'\))? and '(?!(?:const )?(?:headway::)?Tensor'))",
     "", A_LIST_HAS_NO_ARITHMETIC},
    {R"(no viable overloaded '[-+*/]=')", R"(\.lengths\s*[-+*/]=)", A_LIST_HAS_NO_ARITHMETIC},
    {R"('(\w+) ?\*' to (?:non-scalar type )?'(?:const )?\1')", R"(\bnew\b)",
     "Leave out new, which gives a pointer: an object is made by the name of its type alone."},
    {R"(before '\.' token|does not refer to a value|unexpected type name)", R"(\b(Tensor|Mask)\.)",
     "What makes one is named with two colons: write @1:: in place of @1 and a dot."},
    {UNKNOWN_NAME("\\w+"), R"(^(?!else\b|if\b|return\b)\w[\w:]*\s+\w+\s*\((?:[^()]*,)?\s*\w+\s*[,)].*\{$)",
     "Each parameter has its type in front of it, as in const Tensor& x."},
    {R"((?:'|named ')(zeros|ones|empty|full)_like')", "",
     "A Tensor has no $1_like: write Tensor::$1 with x.shape() as its first argument."},
    {R"(invalid preprocessing directive|stray '#')", R"(^# )", "Comments begin with // in C++."},
    {R"(expected '?\]'?)", R"(\[[^\]:]*[^\]:]:[^\]:]*\])",
     "C++ has no [begin:end]: write x.slice(axis, begin, end), which stops before end."},
    {R"(extended character|non-ASCII|unexpected character|not allowed in an identifier|stray '\\[0-9])", "",
     "A character here only looks like one of C++'s, such as – for - or a curved quote: type it anew."},

    // ---- heads of functions
    {R"(named return values|expected '\{' at end|expected function body after)", "",
     "Behind a function's head stands {, and in front of its } what it does: is the { there?"},
    {R"(expected ';' after top level declarator)", R"(\)\s*(?:const)?$)",
     "Behind a function's head stands {, and in front of its } what it does: is the { there?"},
    {R"(expected unqualified-id before '\{'|expected unqualified-id)", R"(^\{)",
     "Does the line above end with a ;? Behind a function's head stands its {, and no ;."},

    {R"(cannot decompose (?:inaccessible|private) member[^]*of '(?:const )?Tensor'|type '(?:const )?(?:\w+::)*Tensor' decomposes)",
     R"(\[\s*(\w+).*\bscaled_dot_product_context\()",
     "A Tensor is one thing and cannot be taken apart: const Tensor @1 = …; What is given with two parts, .context and "
     ".weights, is given::scaled_dot_product_attention (in 04 and later)."},
    {R"(cannot decompose (?:inaccessible|private) member[^]*of '(?:const )?(?:Tensor|Mask)'|type '(?:const )?(?:\w+::)*(?:Tensor|Mask)' decomposes)",
     R"(\[\s*(\w+))", "That is one thing, and cannot be taken apart: const auto @1 = …;"},

    {R"(shadows a (?:member|field) of)", R"(^auto (\w+) =)",
     "This makes a new variable @1, and leaves the member @1 as it was. To set the member, leave out auto."},

    {"", R"(numeric_limits<\w+>::(infinity|lowest|max|min|epsilon)\b(?!\s*\())",
     "It is a function, so () comes after its name: std::numeric_limits<float>::@1()."},
    {R"(unresolved overloaded function type|invalid use of member function|from type '[^']*::\)\(|non-static member function must be called)",
     R"(\b(?:shape|strides)\[\s*-\s*(\d))",
     "One size of a tensor is a call: x.size(-@1), where -1 is the last axis. shape() is a std::vector, which has no "
     "elements below 0."},

    {R"('(\w+)' is not a member of '((?:\w+::)*\w+)'; did you mean '(\w+)'\?|no member named '(\w+)' in '((?:\w+::)*\w+)'; did you mean '(\w+)'\?)",
     R"(\b(KeepAxis|Bias|Causal|Format|Gelu|Order|Total)::)", "$2$5 has no $1$4: write @1::$3$6."},

    {UNKNOWN_NAME("(?:EXPECT|ASSERT)_(?:ALMOST_EQUAL|ALMOST_EQ|CLOSE|APPROX|ALLCLOSE|ISCLOSE)|assertAlmostEqual|assert_"
                  "allclose|allclose|isclose"),
     "", "Numbers are compared within a bound by EXPECT_NEAR(a, b, bound), one at a time."},
    {R"(no member named '(abs|fabs|tanh|round|clip|clamp|pow|erf|sign|relu)')", "",
     "A Tensor has no $1: go through its numbers in a loop, and take std::$1 of each, if that is a function of "
     "<cmath>."},

    {R"('\w+' is not a member of '(?:\w+::)*given'; did you mean '(\w+)'|no member named '\w+' in namespace '(?:\w+::)*given'; did you mean '(?:\w+::)*(\w+)')",
     "", "Nothing that is given has that name. If given::$1$2 is meant, write that."},
    {R"('(\w+)' is not a member of '(?:\w+::)*Tensor'|no member named '(\w+)' in '(?:\w+::)*Tensor')", R"(\bTensor::)",
     "Tensor has no $1$2. Tensors are made by Tensor::zeros, ones, empty, full and of."},
    {R"(function for call to '(?:\w+::)*Tensor::slice\(|member function for call to 'slice'|too many arguments to function call)",
     R"(\bslice\((?:[^,()]|\([^()]*\))+,(?:[^,()]|\([^()]*\))+,(?:[^,()]|\([^()]*\))+,)",
     "slice takes an axis, a begin and an end, and no step. Every second number of the last axis is one of the two "
     "columns of x.view({…, d / 2, 2}), or is found in a loop."},
    {R"(has no initializer|requires an initializer)", R"(\bauto\s+\w+\s*,\s*\w+.*=\s*[\w.]+\.shape\(\))",
     "Sizes are asked one by one: const Index B = x.size(0), T = x.size(1);"},

    // ---- what a Tensor has, and others have not
    {R"('(?:const )?(?:\w+::)*(?:Shape|Strides)' has no member named '(?:length|len|count|ndim|rank|numel)'|no member named '(?:length|len|count|ndim|rank|numel)' in '(?:const )?(?:\w+::)*(?:Shape|Strides))",
     "", "That is a std::vector: how many elements it has says .size()."},
    {R"(Eigen[^]*no member named 'T'|no member named 'T'[^]*Eigen)", "",
     "Of an Eigen matrix, write transpose(), without arguments: as_eigen(x).transpose()."},
    {R"(no member named '(repeat_interleave|repeat|tile)')", "",
     "There is no $1. Where each position of an axis is wanted n times: put a 1 behind that axis with view({…}), "
     "expand "
     "it to n, and join the two with contiguous().view({…})."},
    {R"(no member named '(reshape|flatten)')", "",
     "There is no $1. x.contiguous().view({…}) sees the same numbers in another shape; contiguous() may be left out "
     "unless x was transposed, sliced or expanded."},
    {R"(no member named 'unsqueeze')", "",
     "A Tensor has no unsqueeze. x.contiguous().view({…}) with a 1 among the sizes puts an axis of size 1 there."},
    {R"(no member named '(broadcast_to|expand_as)')", "", "There is no $1. x.expand({…}) repeats axes of size 1."},
    {R"('(?:const )?(?:\w+::)*Mask' has no member named '(?:slice|select|view)'|no member named '(?:slice|select|view)' in '(?:const )?(?:\w+::)*Mask')",
     "",
     "A Mask has no such function. Make one of the part's shape, Mask part = Mask::allow_all({rows, columns}), and "
     "give it "
     "each element in loops: part(t, s) = mask(first + t, s)."},
    {R"(vector<[^]*no member named '(?:contains|includes|find|has)'|no member named '(?:contains|includes|find|has)' in '(?:const )?std::vector)",
     "",
     "A std::vector has no such function. Whether x is in v says std::find(v.begin(), v.end(), x) != v.end(), from "
     "<algorithm>."},
    {R"('(?:const )?(?:\w+::)*Mask' has no member named '()" OF_TENSORS_ALONE
     R"()'|no member named '()" OF_TENSORS_ALONE R"()' in '(?:const )?(?:\w+::)*Mask')",
     "", "A Tensor has $1$2, a Mask has none: go through its elements, as in mask(b, h, t, s)."},

    {R"(from type '[^']*::\)\(|invalid use of member function|non-static member function must be called)",
     R"(\.(is_contiguous|contiguous|rank|numel|defined|strides|clone|owns_storage)\b(?!\s*\())",
     "It is a function, so () comes after its name: x.@1()."},
    {R"(testing::Test::(\w+)\([^']*' is private|'(\w+)' is a private member of 'testing::Test')", "",
     "Inside a TEST, $1$2 is a function of GoogleTest's own, which hides all else of that name: give your $1$2 another "
     "name."},

    // ---- numbers that a type cannot hold
    {R"(comparison is always true due to limited range|is always true)",
     R"(\bint8_t\s+(\w+)\b[^;]*;\s*\1\s*<=\s*127\b)",
     "A std::int8_t is never larger than 127: after 127 comes -128, and the loop has no end. Count with int."},
    {R"(comparison is always (true|false) due to limited range)", "",
     "It is always $1: the type of one side holds no number for which it were otherwise. A std::int8_t, say, ends at "
     "127."},

    {R"(no match for 'operator&'[^]*Mask|invalid operands to binary expression \('(?:const )?(?:headway::)?Mask')",
     R"([^&]&[^&])", "Masks have | and !: what both block is !(!a | !b), which opens what either opens."},
    {R"('<brace-enclosed initializer list>' to '(?:headway::)?Index'|no matching function for call to '(?:sum|mean|max)')",
     R"(\b(sum|mean|max)\(.*\{)", "Axes go one at a time: for the first two, @1(@1(x, 0), 0)."},

    // ---- values of another type than is wanted
    {R"(binary (?:'operator\^'|expression))", R"(\^\s*2\b)",
     "C++ has no power operator, and ^ is for bits. A square is x * x; std::pow(x, 3) is for other powers."},
    {R"(before '\.' token|does not refer to a value|unexpected type name)",
     R"(\b((?!Tensor\b|Mask\b)[A-Z]\w*)\.(?=[a-z]))",
     "@1 is a type: what belongs to it, as the names of an enum class do, stands behind two colons: @1::"},
    {R"('(?:zeros|ones|full|empty)' is not a member of '(?:\w+::)*Mask'|no member named '(?:zeros|ones|full|empty)' in '(?:\w+::)*Mask')",
     "",
     "Masks are made by Mask::allow_all({T, S}), which blocks nothing, and Mask::block_all({T, S}); then mask(t, s) = "
     "true blocks."},
    {R"(operator[!=]='[^]*Tensor|binary expression \('(?:const )?(?:\w+::)*Tensor')",
     R"((\w+)\s*[!=]=\s*(?:Tensor\s*\{\s*\}|nullptr))", "Whether there is a tensor says @1.defined()."},
    {R"('(?:const )?vector<(?:long(?: int)?|Index|std::ptrdiff_t|ptrdiff_t)>' to (?:non-scalar type )?'(?:const )?(?:std::)?vector<int>'|'const (?:\w+::)*Shape'[^']* to '(?:std::)?vector<int>')",
     "", "Sizes are Index, not int: declare the list as Shape, or std::vector<Index>."},
    {R"(expected primary-expression before '\{'|expected expression|initializer list cannot be used on the right)",
     R"([!=]=\s*\{)", "A list in braces has no type there: write it in front, as in x.shape() != Shape{B, T}."},
    {R"('(?:const )?(?:std::)?optional<[^']*' to '(?:const )?(?:Index|long|int|float|double)')", "",
     "A std::optional may hold nothing: write .value_or(…) behind it, or * in front of it where has_value() is true."},
    {R"('(?:const )?(?:std::)?vector<(?:signed char|std::int8_t|int8_t|double|int|long(?: int)?|Index|bool)>' to '(?:const )?(?:std::)?vector<float>)",
     "", "A list of another type is no list of float: make one, std::vector<float>(v.begin(), v.end())."},
    {R"('const Random' as 'this'|member function 'uniform' has type 'const)", "",
     "Drawing a number changes the Random, so no const function can do it: leave out const behind the brackets of the "
     "function this stands in, or declare the member mutable."},
    {R"(no match for call to '\(const (?:\{anonymous\}::)?(?!Sublayer)(\w+)\)|no matching function for call to object of type 'const (?:(?:\w+|\(anonymous namespace\))::)*(\w+)')",
     "",
     "The $1$2 is const, and called as a function is: its operator() has to be const, too, operator()(…) const. If it "
     "has none, name the function or the member that is meant."},
    {R"(operand types are '(\w+)' and 'const char ?\[|operands to binary expression \('(?:const )?(?:\w+::)*(\w+)'[^']*and 'const char ?\[)",
     R"x([!=]=\s*"(\w+)")x", "$1$2 is an enum class, and no text: compare it with its names, as in $1$2::@1."},
    {R"('(?:std::)?vector<int>' to (?:function return type )?'(?:\w+::)*(?:vector<(?:long|std::ptrdiff_t|ptrdiff_t|Index)|Shape|Strides))",
     "", "A list of int is no list of Index: declare it as std::vector<Index>, which Shape and Strides are."},
    {R"(call to 'max(?:\((?:const )?(?:std::)?vector<|'$|'\n))",
     R"((?:^|[^:\w.])max\(\s*(\w+\.lengths|lengths|counts|\w+\.counts|globals|shape)\s*\))",
     "max takes two numbers, or a tensor and an axis. The largest of a list is *std::max_element(@1.begin(), "
     "@1.end()), from <algorithm>."},
    {R"(call to 'max\((?:const )?(?:std::)?vector<)", "",
     "max takes two numbers, or a tensor and an axis. The largest of a list v is *std::max_element(v.begin(), "
     "v.end()), from <algorithm>."},
    {R"(AssertHelper[^]*from 'void'|returned value of type 'void'|void value not ignored|return object of type '[^']*' with an rvalue of type 'void')",
     R"(\b(ASSERT_\w+|FAIL|GTEST_SKIP)\b)",
     "@1 leaves its function by a return without a value: it may stand in a TEST or a void function alone. Write "
     "EXPECT_… here, or make the function void and let it fill a parameter."},
    {R"('(?:const )?(?:std::)?vector<float>' to (?:non-scalar type |function return type )?'(?:const )?Tensor')", "",
     "A std::vector is no Tensor: Tensor::of({rows, columns}, values) makes one of it."},
    {R"(reference of type '(?:const )?Tensor&' from expression of type '(?:const )?(?:Index|int|float|double|bool)|reference to type '(?:const )?Tensor' could not bind to an (?:lvalue|rvalue) of type '(?:const )?(?:Index|int|float|double|bool)')",
     "", "A Tensor is wanted here, and this is a number: do the arguments stand in the order of the declaration?"},
    {R"((?:operator[-+*/]=' \(operand types are|binary expression \() ?'(?:float|double|int|Index)' and '(?:const )?Tensor')",
     R"([-+*/]=[^;]*\]\s*\[)",
     "x[i][j] is a Tensor still, at the last axis one of rank 0. One number is in round brackets: x(i, j)."},
    {R"((?:operator[-+*/]=' \(operand types are|binary expression \() ?'(?:float|double|int|Index)' and '(?:const )?Tensor')",
     R"([-+*/]=)", "What stands on the left is a number, and on the right a Tensor. One number of it is x(i, j)."},
    {R"('(?:const )?Tensor' to '(?:double|float|long double)')",
     R"(^(?!.*\b(?:tanh|erf|abs|fabs|sin|cos)\().*\b(pow)\()",
     "@1 is for one number, and this is a Tensor: go through its elements, or write x * x for squares."},
    {R"('(?:const )?Tensor' to '(?:double|float|long double)')", R"(\b(pow|tanh|erf|abs|fabs|sin|cos)\()",
     "@1 is for one number, and this is a Tensor: go through its elements."},
    {R"('(?:const )?(?:Tensor|(?:std::)?vector<[^']*>)' to '(?:const )?double')",
     R"(\b((?:EXPECT|ASSERT)_NEAR)\((?!\s*[\w.]+\[))",
     "@1 compares two numbers: where a Tensor or a std::vector stands, go through its elements, as in @1(x(i, j), "
     "v[n], "
     "1e-4)."},
    {R"(deduced for lambda return type|must match previous return type)", "",
     "All returns of a lambda must be of one type: 1 is an int, 1.0F a float, 1.0 a double."},
    {R"(optional<[^']*' has no member named '\w+'|no member named '\w+' in '(?:const )?(?:std::)?optional)", "",
     "What a std::optional holds is reached by -> in place of the dot, where has_value() says that there is "
     "something."},
    {R"('(?:const )?(?:given::)?Attended' to )", "",
     "That gives two tensors, .context and .weights: name the one that is meant."},
    {R"(type '(?:const )?(?:std::)?vector<[^']*' (?:from expression|could not bind to an lvalue) of type '(?:Index|int|long)|type '(?:const )?(?:std::)?vector<[^']*&' from expression of type '(?:Index|int|long)|'(?:Index|int|long)' to '(?:std::)?vector<)",
     "",
     "A list is wanted here, and a number does not become one: std::vector<Index>(n, 0) holds n zeros, {n} the number "
     "n."},
};

}  // namespace

std::span<const BeginnersError> habits_of_other_languages() { return habits; }

}  // namespace headway::build
