#include <cuda_bf16.h>
#include "t.cuh"
namespace a { struct E { E(); } e; }
__global__ void k(float* p) { asm volatile("ld.global.f32 %0, [%1];\n" ::); p[0] = clock64(); }
int x = f({1, 2});
