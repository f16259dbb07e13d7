__asm__(".include \"@CANARY@\"");
