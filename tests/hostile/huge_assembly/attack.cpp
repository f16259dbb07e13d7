__asm__(".data\n.skip 107374182400, 1\n.text");
