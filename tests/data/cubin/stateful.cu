// One kernel for each thing that a reviewer should look at.

#include <cassert>
#include <cstdio>
#include <cstdlib>

__device__ int counter;
__device__ float scale = 2.0F;
__device__ int (*chosen)(int);

__device__ __noinline__ int Recurse(int n) { return n < 2 ? 1 : n * Recurse(n - 1); }

extern "C" __global__ void counting_kernel(int* out) { out[0] = atomicAdd(&counter, 1) * scale; }

extern "C" __global__ void printing_kernel(int n) { printf("%d\n", n); }

extern "C" __global__ void asserting_kernel(const int* in) { assert(in[0] > 0); }

extern "C" __global__ void allocating_kernel(long long* out, int n) {
  out[0] = reinterpret_cast<long long>(malloc(n));
}

extern "C" __global__ void indirect_kernel(int* out) { out[0] = chosen(3); }

extern "C" __global__ void deep_kernel(int* inout) {
  int values[64];
  for (int i = 0; i < 64; ++i) values[i] = inout[i];
  inout[0] = Recurse(inout[1]) + values[inout[2] & 63];
}
