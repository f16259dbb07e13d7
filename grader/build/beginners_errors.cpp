#include "build/beginners_errors.hpp"

namespace headway::build {
namespace {

// What mutants are for the diagnosis, the programs in tests/unit/build/beginners are for this table.
#define UNKNOWN(names)                                                                             \
    "'(" names ")' (?:was not declared|does not name|has not been)|undeclared identifier '(" names \
    ")'|unknown type name '(" names ")'"

// Types of arguments, as g++ says them: those of variables are references.
#define A_FLOAT "(?:const )?float&?"
#define A_DOUBLE "(?:const )?double&?"
#define AN_INTEGER "(?:const )?(?:Index|std::size_t|(?:(?:long|short|unsigned) )*(?:long|short|unsigned|int))&?"
#define A_NUMBER "(?:" A_FLOAT "|" A_DOUBLE "|" AN_INTEGER ")"

constexpr BeginnersError table[] = {
    // ---- names
    {R"(conversion|convert|initial|'auto'|deduced type)", R"(\b(\w+)\s*=\s*\1\s*\()",
     "Your variable @1 hides the function @1: from its own name on, @1 is the new variable. Give it another name."},
    {R"('(\w+)' cannot be used as a function|called object type)",
     R"(\b(max|sum|mean|exp|log|sqrt|matmul|cat|min|softmax\w*)\s*\()",
     "@1 is a variable here, and hides the function @1. Give the variable another name."},
    {R"(cannot be used as a function|called object type)", "",
     "A variable is called here as a function is. To multiply, write *; if you mean a function, a variable of that "
     "name hides it."},
    {UNKNOWN("infinity|inf|Inf"), "", "Write std::numeric_limits<float>::infinity(), from <limits>."},
    {R"(numeric_limits' used without template arguments|'numeric_limits' is not a class)", "",
     "Of which type? Write std::numeric_limits<float>::infinity()."},
    {R"('(?:yes|no)' was not|undeclared identifier '(?:yes|no)')", "", "Write KeepAxis::yes or KeepAxis::no."},
    {R"(was not declared|undeclared identifier)", R"(\(.*\b(axis|dim|keepdim|keep|dtype)\s*=[^=])",
     "C++ has no arguments by name: they count by their place, as in sum(x, -1, KeepAxis::yes)."},
    // UNKNOWN is what both compilers say of a name that they do not know.
    {UNKNOWN("cout|cerr|endl|min|swap|sort|string|vector|to_string|move|abs|accumulate|numeric_limits|size_t|"
             "invalid_argument|out_of_range|runtime_error|function|pair|make_unique|unique_ptr|optional"),
     "", "It is of the standard library: write std::$1$2$3."},
    {UNKNOWN("Tensor|Index|Mask|Shape"), "",
     "$1$2$3 is of namespace headway: put your code between namespace headway::ex… { and its }, as the stub has it."},
    {UNKNOWN("head_dim|num_heads|seq_len|batch|d_model|d_k|[BTSDHdn]"), "",
     "There is no variable $1$2$3 here. Sizes come from tensors: const Index $1$2$3 = q.size(-1); for the last axis."},
    {R"(does not have any field named '(\w+)'|member initializer '(\w+)' does not name)", "",
     "The class declares no member $1$2: is it spelt as there?"},
    {R"('(\w+)'[^']*; did you mean '((?:\w+::)+\1)'\?)", "",
     "It is declared within an enum class, a class or a namespace, whose name goes before it: write $2."},
    {UNKNOWN(R"(\w+)"), "",
     "Nothing is called $1$2$3 here: is it spelt as where it was declared, and declared above, in this block?"},
    {R"('(\w+)' is not captured|variable '(\w+)' cannot be implicitly captured)", "",
     "A lambda sees variables around it only if its square brackets say so: begin it with [&]."},
    {R"(default argument given for parameter|redefinition of default argument)", "",
     "What this parameter is by default, its declaration says already: leave out = … here."},
    {R"(redeclaration|redefinition)", "",
     "This name is declared a second time in the same block or file. Leave out the type to assign to the first, or "
     "give the second another name."},

    // ---- punctuation
    {R"(expected '\(' (?:before|after))", R"(\b(if|while|for|switch)\b(?!\s*\(|\s*constexpr\b))",
     "The condition of @1 stands in round brackets: @1 (…)."},
    {R"(unary '\*'|indirection requires pointer)", R"(\*\*)",
     "C++ has no **. Write x * x, or std::pow(x, 2) for a number."},
    {R"(extraneous '\)'|expected (?:',' or )?';' before '\)')", R"(^(?!.*\bfor\b))",
     "There is one ) too many here: each ( is closed once."},
    {R"(expected (?:',' or )?';'|expected initializer before|expected ';' after)", "",
     "A semicolon is missing here, or at the end of the line before: each statement ends with one, and so does a class "
     "after its }."},
    {R"(expected primary-expression before ';'|expected '\(' for function-style cast|unexpected type name)",
     R"(\bthrow\s+[\w:]+\s*;)",
     "An exception is made with its words, in brackets: throw std::invalid_argument(\"…\");"},
    {R"(expected '\)'|expected '\]')", "",
     "A bracket is opened here, or above, and never closed. Count them on this line first."},
    {R"(function-definition is not allowed here|function definition is not allowed here|qualified-id in declaration before)",
     "", "A function begins here within another one, which is not closed: a } is missing above, of a block or of it."},
    {R"('else' without a previous 'if'|expected expression)", R"(^(?:\}\s*)?else\b)",
     "There is no if right before this else. An if takes one statement: put more of them between { and }, and no ; "
     "behind its condition."},
    {R"(break statement not within|'break' statement not in)", "",
     "break ends a loop, and there is none around it. To end the function, write return."},
    {R"('virtual' outside|virt-specifiers in|'virtual' can only be specified inside|'override' specifier|only appear (?:in|inside) (?:a|the) class)",
     "", "virtual and override are said where the class declares the function, and nowhere else: leave them out here."},
    {R"(expected '\}')", R"(\{[^{};]*\w\s+\w[^{};]*\})", "Values in braces are parted by commas."},
    {R"(expected primary-expression before '\w|does not refer to a value|expected expression)",
     R"((?:[(,=]|\breturn)\s*(?:const\s+)?(?:Tensor|Mask|Index|float|bool)&?\s+\w.*;)",
     "In a call no types stand in front of the arguments, nor in front of the call: f(x)."},
    {R"(expected '\}')", "",
     "A { is never closed: of a function, a loop or the namespace. The file ends before its }."},
    {R"(unqualified-id before '?(return|if|for|while)|expected declaration before '\}'|extraneous closing brace|expected unqualified-id$|expected unqualified-id\n)",
     "", "This stands outside of all functions: there is one } too many above it."},
    {R"(expected expression|missing terminating|expected primary)", R"(^[^"]*"[^"]*$)",
     "A text begins with \" and ends with \" on the same line."},
    {R"(from 'int' to 'const char\*'|character constant too long|functional-style cast from 'int')", "'",
     "Texts stand in double quotes: \"…\". Single quotes are for one character."},
    {R"(operands (?:of types|to binary expression).*const char)", R"(\+)",
     "Texts in quotes cannot be added. Begin with one std::string, and make numbers into texts: std::string(\"rank \") "
     "+ std::to_string(n)."},
    {R"(before '\.' token|unexpected namespace name)", "",
     "What is in a namespace is named with two colons: std::max, not std.max."},
    {R"(forbids declaration of '(\w+)' with no type|requires a type specifier|expected unqualified-id before)", "",
     "The type is missing in front of the name: Tensor f(…), const Index n = …"},

    // ---- what modules, choices and tensors have, and have not
    {R"(match for call to '\((?:const )?(?:headway::)?nn::|'(?:const )?(?:headway::)?nn::\w+' does not provide a call)",
     "", "A module is not called like a function: write q_proj.forward(x), not q_proj(x)."},
    {R"('(?:const )?(?:\w+::)*(Causal|KeepAxis|Bias)'.*to (?:'bool'|unary)|operator(?:!|&&|\|\|)'.*'(?:const )?(?:\w+::)*(Causal|KeepAxis|Bias)')",
     "", "$1$2 is an enum class, neither true nor false: compare it, as in choice == $1$2::yes."},
    {R"(argument (\d) from '(?:const )?bool' to '(?:nn::)?Bias'|'(?:const )?bool'[^]*to 'nn::Bias' for (\d)\w\w argument)",
     "",
     "Whether there is a bias is said in words. If a variable says it, give (bias ? nn::Bias::yes : nn::Bias::no)."},
    {R"('(?:const )?Mask' and 'bool'|'bool' and '(?:const )?Mask'|binary expression \('(?:const )?Mask' and 'bool'\))",
     R"(&&|\|\|)",
     "A Mask is neither true nor false. Whether there is one says mask.defined(); an element of it is mask(t, s)."},
    {R"(operator[!=]='[^]*Mask|binary expression \([^]*'(?:const )?Mask')", R"([!=]=)",
     "Masks are not compared. Whether there is one says mask.defined(); elements are, as in mask(t, s) == true."},
    {R"(operator[-+*/]'[^]*Mask|binary expression \([^]*'(?:const )?Mask')", R"([-+*/])",
     "A Mask does not calculate. masked_fill(x, mask, value) is x with value wherever the mask blocks."},
    {R"(has no member named 'T'|no member named 'T')", "", "Write transpose(-2, -1): it swaps the last two axes."},
    {R"(no member named '(permute|squeeze)')", "",
     "A Tensor has no $1. It has view({…}), transpose(axis, axis) and expand({…})."},
    {R"('(\w+)' is not a member of '(?:\w+::)*given'|no member named '(\w+)' in namespace '(?:\w+::)*given')", "",
     "$1$2 is not given. What is given stands in tensor/include/headway/given.hpp."},
    {R"('(\w+)' is not a member of '((?:\w+::)*\w+)'|no member named '(\w+)' in namespace '((?:\w+::)*\w+)')", "",
     "$2$4 has no $1$3: is it spelt so, and does it belong there?"},
    {R"(no member named '(sum|mean|max)')", "",
     "$1 is no member: it is a function that takes the tensor and an axis: $1(x, -1), or $1(x, -1, KeepAxis::yes), "
     "which leaves a 1 there."},
    {R"(no member named '(exp|log|sqrt|matmul|softmax|cat|dot|masked_fill)')", "",
     "$1 is no member: it is a function that takes the tensor, as in $1(x, …)."},
    {R"(vector<[^']*' has no member named '(\w+)'|no member named '(\w+)' in '(?:const )?std::vector)", "",
     "A std::vector has no $1$2. How many elements it has says v.size(), and it grows by v.push_back(x)."},
    {R"(no member named '(\w+)'.*; did you mean '(?:\w+::)*(\w+)'\?)", "",
     "There is no $1. If you mean $2, write that."},
    {R"('(?:const )?(?:struct |class )?(?!const |class |struct |Tensor')(?:\w+::)*(\w+)' has no member named '(\w+)'|no member named '(\w+)' in '(?:\w+::)*(?!Tensor')(\w+)')",
     "", "$1$4 has no $2$3: is it spelt as where $1$4 is declared?"},
    {R"(Tensor' has no member named '(\w+)'|no member named '(\w+)' in '(?:\w+::)*Tensor')", "",
     "There is no $1$2. What a Tensor has stands in tensor/include/headway/tensor.hpp."},
    {R"(to 'Tensor::size\(\)|single argument 'axis')", "",
     "size wants an axis: x.size(0), or x.size(-1) for the last one. x.numel() counts all elements, x.rank() the "
     "axes."},
    {R"(invalid use of member function|non-static member function must be called|unresolved overloaded function type|from type '[^']*::\)\()",
     "", "It is a function, so () comes after its name: x.shape()."},
    {R"('Tensor::shape\(|expected 0, have 1)", R"(shape\()",
     "shape() takes nothing. The size of an axis is x.size(0)."},
    {R"('Tensor::(zeros|ones|empty|full|view|expand)\()", "", "A shape is a list in braces: $1({3, 4})."},
    {R"(argument 'shape'|'Tensor::(zeros|ones)' declared|'const Shape')", R"(\b(zeros|ones|empty|full|view|expand)\()",
     "A shape is a list in braces: @1({3, 4})."},
    {R"('Tensor::transpose\(|expected 2, have)", R"(transpose\()",
     "transpose wants the two axes that change places: transpose(-2, -1)."},
    {R"(operator\[\]'.*Mask|'(?:const )?Mask' does not provide)", "",
     "An element of a mask is in round brackets: mask(query, key)."},
    {R"(Mask)", R"(\|\||&&)",
     "Masks are joined with one | : it is blocked where either blocks. Whether there is one says mask.defined()."},
    {R"((?:'(?:const )?Mask' to 'bool'|value of type '(?:const )?Mask' is not contextually))", "",
     "A Mask is neither true nor false. Whether there is one says mask.defined(); an element of it is mask(t, s)."},
    {R"((?:from|convert|type) '(?:const )?Tensor'.*'(?:const )?(?:float|double|Index|long|int)'|from returned value of type 'Tensor')",
     R"(\]\s*\[|\[)",
     "x[i][j] is a Tensor still, at the last axis one of rank 0. One number is in round brackets: x(i, j)."},
    {R"('(?:const )?Tensor' to '(?:const )?(?:float|double|long|int)'|call to '(?:abs|fabs|tanh|round|floor|ceil)')",
     R"((?:^|[^:\w.])(abs|fabs|tanh|round|floor|ceil)\()",
     "@1 takes one number, and this is a whole tensor. Of tensors the library has exp, log and sqrt; for @1, go "
     "through the elements."},
    {R"('(?:const )?Tensor' to '(?:const )?(?:float|double|Index|long|int)')", "",
     "A Tensor is no number, even if it holds only one. Read that with x(0), or x(0, 0) if it is a matrix."},
    {R"(operator='.*Tensor' and '|no viable overloaded '=')", R"(\]\s*=[^=])",
     "x[i] is a view of a row. Write one number with x(i, j) = …, a whole row with x[i].fill(…) or x[i].copy_from(…)."},
    {R"('Tensor' to 'bool'|'const Tensor' to 'bool'|contextually convertible)", "",
     "A Tensor is neither true nor false. Whether there is one says x.defined(); a number of it is x(0)."},
    {R"((?:from|type) '(?:float|double|int|Index)' to (?:non-scalar type )?'(?:const )?Tensor'|'(?:float|double|int)' to function return type 'Tensor'|from '(?:float|double|int|Index)' to 'Tensor')",
     "", "A number is no Tensor. x * 2 takes the number as it is; Tensor::full({1}, 2) makes a tensor of it."},
    {R"(operator(<|>|<=|>=|==|!=|%|&&|\|\||!)'.*Tensor)", "",
     "Tensors have no $1. Compare numbers, in loops, by one index per axis: a(i, j) < b(i, j)."},
    {R"(invalid operands to binary expression \('(?:const )?Tensor')", R"(\s(<|>|<=|>=|==|!=|%|&&|\|\|)\s)",
     "Tensors have no @1. Compare numbers, in loops, by one index per axis: a(i, j) < b(i, j)."},
    {R"(operator([-+*/])'.*Tensor|invalid operands to binary expression \('(?:const )?Tensor')", "",
     "A Tensor is added to, subtracted from, multiplied with and divided by a Tensor or a number, and nothing else."},

    {R"((?:from|of type) '(?:const )?Tensor' to (?:non-scalar type )?'(?:const )?Mask'|from '(?:const )?Tensor' to '(?:const )?Mask')",
     "",
     "A Mask holds true and false, and no Tensor becomes one. It begins with Mask::allow_all({T, S}); then mask(t, s) "
     "= true blocks."},

    // ---- arguments
    {R"('KeepAxis' to 'Index'|from 'KeepAxis')", "",
     "The axis comes first, then whether it stays: sum(x, -1, KeepAxis::yes)."},
    {R"('(?:bool|int)' to 'KeepAxis')", "", "Whether the axis stays is said in words: sum(x, -1, KeepAxis::yes)."},
    {R"(too few arguments to function '[^']*\b(sum|mean|max|cat)\(|call to '(sum|mean|max)\((?:const )?Tensor&?\)')",
     "", "$1$2 works along an axis, and wants to know which: $1$2(x, -1) for the last one."},
    {R"(call to '(sum|mean|cat|max)'[^]*but 1 was provided)", "",
     "$1 works along an axis, and wants to know which: $1(x, -1) for the last one."},
    // clang++ names the types in notes about the library's inside, which are left out.
    {R"(call to 'clamp\()" A_FLOAT ", " A_NUMBER ", " A_NUMBER R"(\)')", R"(std::clamp\()",
     "std::clamp wants three numbers of one type, and the first is a float: so must the bounds be, as in std::clamp(x, "
     "-127.0F, 127.0F)."},
    {R"(call to 'clamp\()" A_DOUBLE ", " A_NUMBER ", " A_NUMBER R"(\)')", R"(std::clamp\()",
     "std::clamp wants three numbers of one type, and the first is a double: so must the bounds be, as in "
     "std::clamp(x, -127.0, 127.0)."},
    {R"(call to 'clamp\b)", R"(std::clamp\()",
     "std::clamp wants three numbers of one type: all Index, as in std::clamp(n, Index{0}, Index{9}), or all float, as "
     "in std::clamp(x, -127.0F, 127.0F)."},
    {R"(call to '(?:max|min)\((?:)" A_FLOAT ", " AN_INTEGER "|" AN_INTEGER ", " A_FLOAT R"()\)')",
     R"(std::(max|min)\()",
     "std::@1 wants numbers of one type: make both float, as in std::@1(x, 1.0F) or std::@1(x, "
     "static_cast<float>(n))."},
    {R"(call to '(?:max|min)\((?:)" A_DOUBLE ", " AN_INTEGER "|" AN_INTEGER ", " A_DOUBLE R"()\)')",
     R"(std::(max|min)\()",
     "std::@1 wants numbers of one type: make both double, as in std::@1(x, 1.0) or std::@1(x, "
     "static_cast<double>(n))."},
    {R"(call to '(?:max|min)\((?:)" A_FLOAT ", " A_DOUBLE "|" A_DOUBLE ", " A_FLOAT R"()\)')", R"(std::(max|min)\()",
     "std::@1 wants numbers of one type, and here float and double meet: 1.0F is a float, 1.0 a double."},
    {R"(call to '(?:max|min)\()" AN_INTEGER ", " AN_INTEGER R"(\)')", R"(std::(max|min)\()",
     "std::@1 wants numbers of one type: make both Index, as in std::@1(n, Index{1})."},
    {R"(call to '(?:max|min)\b)", R"(std::(max|min)\()",
     "std::@1 wants numbers of one type: both Index, as in std::@1(n, Index{1}), or both float, as in std::@1(x, "
     "1.0F)."},
    {R"((?:call to|function for call to) '(?:\w+::)*(Mask::(?:block|allow)_all|Tensor::(?:zeros|ones|empty))\([^']*, )",
     "", "All sizes are one argument, a list in braces: $1({T, S})."},
    {R"(call to '(erfc?|tanh|round|nearbyint|ldexp)(?:\([^']*Tensor|'))", "",
     "std::$1 is for one number, and there is none for a whole tensor: go through its numbers in a loop."},
    {R"(call to '(\w+))", R"(std::(exp|sqrt|log|pow|tanh|abs)\()",
     "std::@1 is for one number. For whole tensors there are exp(x), log(x) and sqrt(x) without std::, and x * x."},
    {R"(call of overloaded 'max\(|call to 'max' is ambiguous)", R"((?:^|[^:\w])max\()",
     "max wants two numbers of one type: make both Index, as in std::max<Index>(n, 0)."},
    {R"(narrow.*to 'float'|narrowed.*to 'float'|narrowed to type 'float')", "",
     "The list holds floats, and here is a double: write static_cast<float>(…), and 0.5F in place of 0.5."},
    {R"(narrow.*from '(?:float|double)'|type '(?:float|double)' cannot be narrowed)", "",
     "Sizes and positions are whole numbers, Index, and here is one with a fraction: calculate with Index, or write "
     "static_cast<Index>(…)."},
    {R"(narrow)", "",
     "Sizes and positions are Index, which is signed. Make the variable an Index, or write static_cast<Index>(…)."},
    {R"(base operand of '->'|is not a pointer; did you mean)", "", "It is no pointer: write . in place of ->."},
    {R"(which is of pointer type|is a pointer; did you mean)", "", "It is a pointer: write -> in place of the dot."},
    {R"(binding reference of type '[^']*&' to 'const |drops 'const' qualifier|no matching (?:member )?function for call[^]*lose const qualifier)",
     "",
     "What is given here is const, and a reference without const could change it: where it is only read, write const "
     "in "
     "front of the parameter's type, as in const Tensor& x; where it is to be changed, hand over a copy."},
    {R"(does not match any declaration|no declaration matches|but does not override|hides virtual member function|only virtual member functions)",
     "",
     "It is declared otherwise: name, parameters, their const and & and a const at the end must be the same in both "
     "places."},
    {R"(call to '(?:const )?Mask::Mask\(|constructor for initialization of '(?:const )?Mask')", "",
     "Masks are made by functions of theirs: Mask::allow_all({T, S}), Mask::block_all({T, S}), with the shape in "
     "braces."},
    {R"(call to '(?:const )?Tensor::Tensor\(|constructor for initialization of '(?:const )?Tensor')", "",
     "Tensors are made by functions of theirs: Tensor::zeros({T, S}), Tensor::full({T, S}, 1.5F), Tensor::of({2}, {1, "
     "2})."},
    {R"(call to '(?:std::)?swap\b)", R"(\.(shape|strides)\()",
     "@1() is for reading. Swap in a copy: auto changed = x.@1();"},
    {R"(no matching function for call to '(?:\w+::)*(\w+)::\1\(\)|must explicitly initialize the member '(\w+)')", "",
     "A member of this class cannot be made without arguments, and = in the body comes too late. Give them in the "
     "constructor's list: Layer(…) : member_(arguments) {"},
    {R"(emplace|construct_at|matching constructor)", R"(emplace|push_back|make_)",
     "What stands in the brackets makes no such element: it must fit one of its constructors."},
    {R"(for call to '(?:push_back|emplace_back|insert|resize)')", "",
     "What stands in the brackets is no such element, or the list is const."},
    {R"(too few arguments to function '([^']*)')", "", "An argument is missing: it is declared as $1."},
    {R"(too many arguments to function '([^']*)')", "",
     "There are more arguments than it takes: it is declared as $1."},
    {R"(cannot bind non-const lvalue reference of type '([^']*)&'|non-const lvalue reference to type '([^']*)' cannot bind)",
     R"(&\s*\w+\s*=)", "A reference without const names a variable, and a result is none: write $1$2 without &."},
    {R"(cannot bind non-const lvalue reference of type '([^']*)&'|non-const lvalue reference to type '([^']*)' cannot bind)",
     "",
     "A reference without const takes a variable, and a result is none: give the $1$2 a name first, and pass that. A "
     "function of your own may take const $1$2& instead."},
    {R"(no match for call to '\((?:const )?(?:std::)?vector<|type '(?:const )?(?:std::)?vector<[^']*' does not provide a call)",
     "", "An element of a std::vector is in square brackets: v[i]."},
    {R"(no match for call to '\((?:const )?(?:\w+::)*Sublayer\)|type '(?:const )?(?:\w+::)*Sublayer' does not provide a call)",
     "", "A Sublayer holds two functions and is none itself: attention.forward(x), attention.backward(x, grad_y)."},
    {R"(no match for call to '\((?:const )?(?:\w+::)*(?!Tensor|Mask)(\w+)\)|type '(?:const )?(?:\w+::)*(?!Tensor|Mask)(\w+)' does not provide a call)",
     "", "The $1$2 is called here as a function is. Unless it has an operator(), name the member that is meant."},
    {R"(no matching|too many arguments|too few arguments|requires \d)", "", compare_one_by_one},

    {R"(to '(?:const )?std::initializer_list<)", "",
     "It takes numbers that are written out in braces, {a, b, c}. What is computed is put in one by one: make it by "
     "zeros or allow_all, and assign x(i, j)."},
    {R"('[^']*\*' to (?:function return type )?'(?:std::)?unique_ptr<)", "",
     "A plain pointer does not become a unique_ptr by itself: return std::make_unique<Name of the class>(arguments);"},
    {R"(unique_ptr<[^']*' to (?:function return type )?'(?:std::)?unique_ptr<)", "",
     "The class must be derived from the one that is returned, and in public: class Name : public Attention {"},
    {R"(could not convert '\w+' from '.*' to '(?:std::)?unique_ptr<|no viable conversion from returned value of type '.*' to function return type '(?:std::)?unique_ptr<)",
     "",
     "A pointer that owns its object is wanted, not the object: return std::make_unique<Name of the "
     "class>(arguments);"},

    {R"(ambiguating new declaration|differ only in their return type)", "",
     "The header has this function with another type in front of its name, which is what it returns. Write that one."},
    {R"(iterator[^]*' to '(?:const )?(?:float|double|Index|long|int)')", "",
     "That gives the place of an element, not the element: write * in front of it."},
    {R"((?:from|of type) '(?:const )?Tensor' to (?:function return type )?'(?!const|std::|Tensor|Mask|bool|float|double|Index|long|int)(\w+)')",
     "", "$1 has several members. Give all of them, in the order of the header, in braces: {first, second}."},

    // ---- const, auto, return
    {R"(in read-only object|within const member function)", "",
     "This function is const (it says so after its brackets), so it may not change members of its object."},
    {R"(passing 'const (?!Tensor|Mask|std::)\w+' as 'this'|no viable overloaded '=')", R"(^\s*(\w+\.[\w.]+)\s*=[^=])",
     "What @1 is of, is const, and = would change it. What the header has as const stays as it is: make a new one, and "
     "return that."},
    {R"('const (?:Tensor|Mask)' as 'this'|'const (?:Tensor|Mask)',? but|no viable overloaded '[-+*/]?=')", "",
     "It is const: you may read it, not change it. Make a new one, const Tensor y = …, or change a copy: Tensor y = "
     "x.clone();"},
    {R"(but function is not marked const|passing 'const (?!Tensor|Mask|std::)(?:\{anonymous\}::)?\w+' as 'this')", "",
     "The object is const, and the function it is asked for might change it. If it does not, write const after its ( "
     ")."},
    {R"('const std::vector.*' as 'this'|'this' argument has type 'const )", "",
     "It is const: you may read it, not change it. Change a copy, or take it without const if the header lets you."},
    {R"(lvalue required as left operand|expression is not assignable)",
     R"((?:^|[^\w.])(\w+\.(?!size\b|rank\b|numel\b|data\b|defined\b|shape\b|slice\b|select\b|view\b|clone\b|expand\b|contiguous\b|transpose\b)\w+)\([^()]*\)\s*[-+*/]?=[^=])",
     "An element of @1 cannot be written here: that, or what it belongs to, is const. Write into a copy, @1.clone(). "
     "To compare, write ==."},
    {R"(lvalue required as left operand|expression is not assignable)", "",
     "What is left of = cannot be changed: an element of a const Tensor, or the result of a function. To compare, "
     "write ==."},
    {R"((?:assignment|crement) of read-only|const-qualified type)", "",
     "It is const: it keeps its first value. Leave out const where it is declared, if it has to change. What the "
     "header has as const stays so: write to a copy, such as clone() of a tensor."},
    {R"('const float ?\*')", R"(data\(\))", "data() of a const Tensor is for reading: const float* values = x.data();"},
    {R"(use of deleted function '[^']*unique_ptr\(const |implicitly-deleted copy constructor of '[^']*unique_ptr|deleted constructor of '[^']*unique_ptr)",
     "", "A unique_ptr cannot be copied: hand it on with std::move(…), or take a reference to it."},
    {R"(from 'void' to|conversion from 'void'|of type 'void'|type 'void')", R"(\.(copy_from|fill|push_back)\s*\()",
     "@1 gives nothing back: it changes what stands before its dot. Make it a statement of its own."},
    {R"(class template argument deduction failed|deduction of template arguments of 'vector'|template arguments of 'vector')",
     R"(\bvector\b)", "A list of what? Write std::vector<float> or std::vector<Index>."},
    {R"((?:operands of types|operands to binary expression) .*'?(?:float|double)\b)", R"(%)",
     "% is for whole numbers. For others there is std::fmod(x, y)."},
    {R"(uninitialized 'const|default initialization of an object of const type)", "",
     "What is const keeps its first value: give each name one here, as in const Index B = x.size(0), T = x.size(1);"},
    {R"(names? provided for structured binding|decomposes into)", "",
     "A list's elements are counted as the program runs, and cannot be taken apart so: const Index B = x.size(0), T = "
     "x.size(1);"},
    {R"(could not convert '\{[^]*brace-enclosed initializer list>' to '(?:const )?(?:\w+::)*(?!Tensor'|Mask')(\w+)')",
     "",
     "The values in braces are the members of $1, in their order, each of its member's type. A number does not become "
     "a list: n zeros are std::vector<Index>(n, 0)."},
    {R"(could not convert '\{[^]*brace-enclosed initializer list>' to '(?:const )?(Tensor|Mask)')", "",
     "One $1 is wanted here, and what stands in braces makes none: give one, without braces."},
    {R"(operands to '\?:'|incompatible operand types|operand types to conditional)", "",
     "What stands before the : and what stands after it must be of one type."},
    {R"(has no initializer|'auto' requires an initializer)", "",
     "auto takes its type from the first value: give one at once, or name the type: Tensor y;"},
    {R"(return-statement with no value|should return a value)", "",
     "This function promises a value: return one, or throw."},
    {R"(return-statement with a value|should not return a value)", "",
     "This function is void: it gives nothing back. Change its type, or write return; alone."},
    {R"(is private|is a private member)", "", "It is private: only functions of its own class may use it."},
    {R"(No such file|file not found)", "",
     "There is no such header: compare its name, letter by letter, with the one the stub includes."},
};

}  // namespace

std::span<const BeginnersError> beginners_errors() { return table; }

}  // namespace headway::build
