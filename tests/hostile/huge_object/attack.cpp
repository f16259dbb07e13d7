char bomb[1 << 30] = {1};
