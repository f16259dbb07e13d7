__asm__(".rept 2700\n.print \"a:1:   x\"\n.endr\n.rept 2500\n.print \"a:1: error: \"\n.endr\n.err");
