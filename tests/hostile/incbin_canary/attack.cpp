__asm__(".section .rodata\nheadway_stolen: .incbin \"@CANARY@\"\n.text");
