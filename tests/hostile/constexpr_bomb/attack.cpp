constexpr int spin(int depth) {
    int sum = 0;
    for (int i = 0; i < 200000; ++i)
        for (int k = 0; k < 200000; ++k) sum ^= i + k + depth;
    return sum;
}
constexpr int bomb = spin(1);
