template <class A, class B>
struct P {};
using T0 = P<int, int>;
using T1 = P<T0, T0>;
using T2 = P<T1, T1>;
using T3 = P<T2, T2>;
using T4 = P<T3, T3>;
using T5 = P<T4, T4>;
using T6 = P<T5, T5>;
using T7 = P<T6, T6>;
using T8 = P<T7, T7>;
using T9 = P<T8, T8>;
using U0 = P<T9, T9>;
using U1 = P<U0, U0>;
using U2 = P<U1, U1>;
using U3 = P<U2, U2>;
using U4 = P<U3, U3>;
using U5 = P<U4, U4>;
using U6 = P<U5, U5>;
using U7 = P<U6, U6>;
using U8 = P<U7, U7>;
using U9 = P<U8, U8>;
using V0 = P<U9, U9>;
using V1 = P<V0, V0>;
using V2 = P<V1, V1>;
using V3 = P<V2, V2>;
using V4 = P<V3, V3>;
using V5 = P<V4, V4>;
using V6 = P<V5, V5>;
using V7 = P<V6, V6>;
using V8 = P<V7, V7>;
using V9 = P<V8, V8>;

void hostile_defined(V9) {}
void hostile_missing();
void hostile_user() { hostile_missing(); }
