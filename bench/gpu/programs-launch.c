/* Launches kernels of cubins as they are, for compute-sanitizer and Nsight Compute: nothing of ours runs besides them, and every buffer is an
 * allocation of its own, so that a byte beside it is out of bounds.
 *
 *   programs-launch SPECS N      N plain launches of each kernel, one after the other
 *
 * SPECS has a line per kernel: file name gx gy gz bx by bz dynamic_shared count (kind bytes)... ; kind f: floats k/256, h: 16-bit floats of
 * like size, i: random bits. Build: cc -O2 -I$CUDA/include programs-launch.c -o programs-launch -ldl
 */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(x) #x
#define NAME(x) TEXT(x)
#define LOAD(f) __typeof__(&f) p_##f = (__typeof__(&f))dlsym(lib, NAME(f)); if (!p_##f) { fprintf(stderr, "no %s\n", NAME(f)); return 1; }
#define OK(call) do { CUresult r_ = (call); if (r_) { fprintf(stderr, "%s: error %d\n", #call, (int)r_); return 1; } } while (0)
enum { MAX_BUFFERS = 16 };

static void fill(unsigned char *host, unsigned long bytes, char kind, unsigned seed) {
  for (unsigned long k = 0; k < bytes; k++) {
    seed = seed * 1664525u + 1013904223u;
    if (kind == 'f' && k % 4 == 0 && k + 4 <= bytes) {
      float value = (float)((int)(seed >> 23) - 256) / 256.0f;
      memcpy(host + k, &value, 4);
    } else if (kind == 'h' && k % 2 == 0 && k + 2 <= bytes) {
      /* Signed, below 1 in either 16-bit format. */
      unsigned short value = (unsigned short)(((seed >> 16) & 0x8000u) | 0x3000u | ((seed >> 8) & 0x0bffu));
      memcpy(host + k, &value, 2);
    } else if (kind == 'i') host[k] = (unsigned char)(seed >> 24);
  }
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  int launches = atoi(argv[2]);
  FILE *specs = fopen(argv[1], "r");
  void *lib = dlopen("libcuda.so.1", RTLD_NOW);
  if (!specs || !lib) { fprintf(stderr, "no specs or no libcuda.so.1\n"); return 1; }
  LOAD(cuInit) LOAD(cuDeviceGet) LOAD(cuDevicePrimaryCtxRetain) LOAD(cuCtxSetCurrent) LOAD(cuStreamCreate) LOAD(cuModuleLoad)
  LOAD(cuModuleUnload) LOAD(cuModuleGetFunction) LOAD(cuFuncSetAttribute) LOAD(cuMemAlloc) LOAD(cuMemFree) LOAD(cuMemcpyHtoD)
  LOAD(cuLaunchKernel) LOAD(cuStreamSynchronize)
  CUdevice device; CUcontext context; CUstream stream;
  OK(p_cuInit(0));
  OK(p_cuDeviceGet(&device, 0));
  OK(p_cuDevicePrimaryCtxRetain(&context, device));
  OK(p_cuCtxSetCurrent(context));
  OK(p_cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));

  char file[1024], name[256];
  unsigned g[3], b[3], shared;
  int count, kernels = 0;
  while (fscanf(specs, "%1023s %255s %u %u %u %u %u %u %u %d", file, name, &g[0], &g[1], &g[2], &b[0], &b[1], &b[2], &shared, &count) == 10) {
    CUmodule module; CUfunction function; CUdeviceptr buffers[MAX_BUFFERS]; void *params[MAX_BUFFERS];
    if (count > MAX_BUFFERS) return 2;
    OK(p_cuModuleLoad(&module, file));
    OK(p_cuModuleGetFunction(&function, module, name));
    if (shared > 48 * 1024) OK(p_cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared));
    for (int i = 0; i < count; i++) {
      char kind; unsigned long bytes;
      if (fscanf(specs, " %c %lu", &kind, &bytes) != 2) return 2;
      unsigned char *host = malloc(bytes);
      fill(host, bytes, kind, 12345u + (unsigned)i);
      OK(p_cuMemAlloc(&buffers[i], bytes));
      OK(p_cuMemcpyHtoD(buffers[i], host, bytes));
      params[i] = &buffers[i];
      free(host);
    }
    for (int i = 0; i < launches; i++) {
      OK(p_cuLaunchKernel(function, g[0], g[1], g[2], b[0], b[1], b[2], shared, stream, params, NULL));
      OK(p_cuStreamSynchronize(stream));
    }
    for (int i = 0; i < count; i++) OK(p_cuMemFree(buffers[i]));
    OK(p_cuModuleUnload(module));
    kernels++;
  }
  printf("launched %d kernels, %d times each\n", kernels, launches);
  return 0;
}
