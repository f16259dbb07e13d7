#define PLACE "@CANARY@"
#include PLACE
