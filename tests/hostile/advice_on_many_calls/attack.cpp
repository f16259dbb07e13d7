#line 14 "attack.cpp"
#error no matching function for call to 'swap(const x'
#if 0

@REPEATED 200000 swap(@
#endif
