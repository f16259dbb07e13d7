#line 1 "@CANARY@"
void attack() { throw 1; }
