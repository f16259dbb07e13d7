__asm__(".print \"g++: fatal error: Killed signal terminated program cc1plus\"\n.err");
