#include "/dev/stdin"
