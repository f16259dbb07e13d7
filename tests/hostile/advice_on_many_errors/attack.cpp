#line 11 "attack.cpp"
void f1() { int q = u1, a = 0, v1 = 0; }
void f2() { int q = u2, a = 0, v2 = 0; }
void f3() { int q = u3, a = 0, v3 = 0; }
void f4() { int q = u4, a = 0, v4 = 0; }
void f5() { int q = u5, a = 0, v5 = 0; }
void f6() { int q = u6, a = 0, v6 = 0; }
void f7() { int q = u7, a = 0, v7 = 0; }
void f8() { int q = u8, a = 0, v8 = 0; }
void f9() { int q = u9, a = 0, v9 = 0; }
void g1() { a; }
void g2() { a; }
void g3() { a; }
void g4() { a; }
void g5() { a; }
void g6() { a; }
void g7() { a; }
void g8() { a; }
void g9() { a; }
void g10() { a; }
#if 0
@REPEATED 1900000 a;@
#endif
