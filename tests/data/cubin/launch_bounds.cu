// Parameters at gaps, parameters larger than 4 KiB, and every bound of blocks and clusters that a
// kernel can declare.

struct alignas(128) TensorMap {
  char bytes[128];
};

struct Large {
  char bytes[5000];
};

extern "C" __global__ void __launch_bounds__(256, 1, 4)
    capped_kernel(const __grid_constant__ TensorMap map, float* out) {
  out[0] = map.bytes[3];
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) clustered_kernel(float* out) { out[0] = 1; }

extern "C" __global__ void large_kernel(int n, Large large, float* out) { out[n] = large.bytes[n]; }

extern "C" __global__ void __block_size__((64, 2, 1)) sized_kernel(float* out) { out[0] = 3; }

extern "C" __global__ void no_parameters_kernel() {}
