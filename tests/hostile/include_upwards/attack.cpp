#include "../../../../../../../../../../../../@CANARY_RELATIVE@"
