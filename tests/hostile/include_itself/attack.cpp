#include __FILE__
