// One text for a GPU and, as C++, for the CPU: a kernel computes COUNT elements of y, each with VALUE(i).
// On a GPU, launches of one stream follow one another, and what STATE holds changes only in LAST.
#ifdef __CUDACC__
#define STATE static __device__
#define FUNC static __device__
#define NAME extern "C" __global__ void kernel
#define EACH(i) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x)
#define LAST if (is_last())
typedef unsigned long long ns;
FUNC ns now() {
  ns t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}
STATE unsigned arrived, left;
STATE ns first_arrival;
// Launches before this one.
FUNC int launch_number() {
  __shared__ unsigned ticket;
  if (threadIdx.x == 0) ticket = atomicAdd(&arrived, 1u);
  __syncthreads();
  return ticket / gridDim.x;
}
// When the first block of this launch began. Requires that the kernel ends with LAST.
FUNC ns began() {
  __shared__ ns at;
  if (threadIdx.x == 0) {
    ns mine = now(), before = atomicCAS(&first_arrival, 0ull, mine);
    at = before == 0 ? mine : before;
  }
  __syncthreads();
  return at;
}
// True in one thread, after all blocks of this launch came here.
FUNC bool is_last() {
  __threadfence();
  __syncthreads();
  if (threadIdx.x != 0) return false;
  if (atomicAdd(&left, 1u) % gridDim.x != gridDim.x - 1) return false;
  first_arrival = 0;
  return true;
}
#else
#define STATE static
#define FUNC static __attribute__((unused))
#define NAME static void run
#define EACH(i) for (int i = 0; i < COUNT; i++)
#define LAST
typedef unsigned long long ns;
FUNC ns now() {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ull + t.tv_nsec;
}
FUNC int launch_number() {
  static int launches;
  return launches++;
}
FUNC ns began() { return now(); }
#endif

// The float with only the first `bits` bits of its fraction.
FUNC float cut(float value, int bits) {
#ifdef __CUDACC__
  return __uint_as_float(__float_as_uint(value) & (0xffffffffu << (23 - bits)));
#else
  unsigned u;
  memcpy(&u, &value, 4);
  u &= 0xffffffffu << (23 - bits);
  memcpy(&value, &u, 4);
  return value;
#endif
}
FUNC float not_a_number() { return sqrtf(-1.0f + 0.0f); }

#ifdef WORKSPACE
#define KERNEL NAME(ARGS, float *kept)
#else
#define KERNEL NAME(ARGS)
#endif
