#if 0
void g() { f(0@REPEATED 8000 ,x@);
@REPEATED 500 x[0];@
}
#endif
