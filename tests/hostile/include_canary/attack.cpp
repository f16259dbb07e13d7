#include "@CANARY@"
