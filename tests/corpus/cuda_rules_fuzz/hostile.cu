%:include <a>
#define P(a,b) a##b
void f() { P(sys,tem)("x"); sys\
tem(R"d(")d"); static int n; ::open("a",0); }
/* ??/ */ // ??/
_Pragma("x") asm(".incbin \"a\"");
