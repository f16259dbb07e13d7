template <class T, class U>
struct Pair {};
template <int N>
struct Wide {
    using type = Pair<typename Wide<N - 1>::type, typename Wide<N - 1>::type>;
};
template <>
struct Wide<0> {
    using type = int;
};
int flood = Wide<22>::type{};
