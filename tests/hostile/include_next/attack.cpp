#include_next "@CANARY@"
