void attack() {
    for (volatile int i = 0;; i = i + 1) {
    }
}
