/*
 * helper.cu as ordinary C++: its kernels run block after block on fibers, so that tests can hold them
 * against TypeScript without a GPU. What only a GPU has (hold) is left out.
 */
#include <cmath>
#include <cstring>
#include <functional>
#include <ucontext.h>

#define __global__
#define __device__
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(n)
#define __shared__ static
#define WARPFARM_HOST

struct Dim { unsigned x; };
static Dim blockIdx, threadIdx, gridDim, blockDim;

/* Threads of a block are fibers of one host thread. A barrier hands over to the next one: all have arrived when the first goes on. */
static ucontext_t scheduler, fibers[256];
static bool finished[256];
static std::function<void()> body;
static char stacks[256][64 * 1024];
static void __syncthreads() { swapcontext(&fibers[threadIdx.x], &scheduler); }
static void fiber() {
  body();
  finished[threadIdx.x] = true;
}

static unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a * b) >> 32); }
static int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
template <typename To, typename From> static To bits_of(From x) { To y; std::memcpy(&y, &x, sizeof y); return y; }
static unsigned __float_as_uint(float x) { return bits_of<unsigned>(x); }
static float __uint_as_float(unsigned x) { return bits_of<float>(x); }
static double __longlong_as_double(long long x) { return bits_of<double>(x); }
static long long __double_as_longlong(double x) { return bits_of<long long>(x); }
static void atomicAdd(unsigned long long* to, unsigned long long value) { *to += value; }
using std::fabs;
using std::fmin;
using std::sqrt;

#include "../helper.cu"

template <typename F> static void on_grid(unsigned blocks, F kernel) {
  gridDim.x = blocks;
  blockDim.x = 256;
  body = kernel;
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x) {
    for (unsigned t = 0; t < 256; ++t) {
      finished[t] = false;
      getcontext(&fibers[t]);
      fibers[t].uc_stack.ss_sp = stacks[t];
      fibers[t].uc_stack.ss_size = sizeof stacks[t];
      fibers[t].uc_link = &scheduler;
      makecontext(&fibers[t], fiber, 0);
    }
    for (bool any = true; any;) {
      any = false;
      for (threadIdx.x = 0; threadIdx.x < 256; ++threadIdx.x) {
        if (finished[threadIdx.x]) continue;
        any = true;
        swapcontext(&scheduler, &fibers[threadIdx.x]);
      }
    }
  }
}

#define HOST(NAME, TYPE)                                                                                                  \
  extern "C" void host_fill_##NAME(void* out, u64 n, u32 k0, u32 k1, u32 buffer, u32 blocks) {                             \
    on_grid(blocks, [=] { fill_##NAME((TYPE*)out, n, k0, k1, buffer); });                                                  \
  }                                                                                                                       \
  extern "C" void host_given_##NAME(void* out, u64 n, GIVEN_ARGS, u32 blocks) {                                            \
    on_grid(blocks, [=] { fill_given_##NAME((TYPE*)out, n, k0, k1, buffer, kind, from, to, row, half); });                 \
  }                                                                                                                       \
  extern "C" void host_compare_##NAME(const void* got, const void* reference, u64 n, double atol, double rtol, void* all,  \
                                      u32 blocks) {                                                                       \
    Verdict* verdicts = (Verdict*)all;                                                                                    \
    on_grid(blocks, [=] { compare_##NAME((const TYPE*)got, (const TYPE*)reference, n, atol, rtol, verdicts + 1); });       \
    on_grid(1, [=] { compare_finish(verdicts + 1, blocks, verdicts); });                                                   \
  }                                                                                                                       \
  extern "C" void host_contents_##NAME(const void* data, u64 n, void* partial, u32 blocks) {                               \
    on_grid(blocks, [=] { contents_##NAME((const TYPE*)data, n, (Contents*)partial); });                                   \
  }
HOST(float16, u16)
HOST(bfloat16, u16)
HOST(float32, float)
HOST(float64, double)
HOST(float8_e4m3fn, u8)
HOST(float8_e5m2, u8)
HOST(int8, signed char)
HOST(uint8, u8)
HOST(int32, int)
HOST(int64, long long)
HOST(bool, u8)
HOST(int4, u8)
HOST(int1, u8)

extern "C" void host_invert(void* to, const void* from, u64 bytes, u32 blocks) {
  on_grid(blocks, [=] { invert((u8*)to, (const u8*)from, bytes); });
}
extern "C" void host_digest(const void* regions, u32 count, void* sums, u32 blocks) {
  on_grid(blocks, [=] { digest((const Region*)regions, count, (u64*)sums); });
}
