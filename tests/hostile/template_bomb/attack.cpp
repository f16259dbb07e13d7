template <int A, int B>
struct Bomb {
    static constexpr int value = Bomb<A - 1, B>::value + Bomb<A - 1, B + 1>::value;
};
template <int B>
struct Bomb<0, B> {
    static constexpr int value = 1;
};
int bomb = Bomb<800, 0>::value;
