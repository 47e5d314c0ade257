/* Times kernels without anything of ours: loads cubins with the CUDA driver, captures a graph of launches, replays it between two events.
 * What the runner's times are compared with. Module, buffers and graph are made anew several times, because where they come to lie can
 * change a kernel's time; buffers lie within their allocations as the runner's do.
 *
 *   clock SPECS            a line of JSON per kernel: {"us":[[...],...]}, microseconds of one launch, several times for each load
 *   clock SPECS plain N    1 + N plain launches of each kernel in order, for a profiler
 *
 * SPECS has a line per kernel: file name gx gy gz bx by bz shared count bytes... ; buffers are filled with k/256, k in [-256, 255].
 * Build: cc -O2 -I$CUDA/include clock.c -o clock -ldl
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
enum { MAX_BUFFERS = 16, LOADS = 8, ROUNDS = 3, ZONE = 64 * 1024 };

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  int plain = argc > 3 && !strcmp(argv[2], "plain") ? atoi(argv[3]) : 0;
  FILE *specs = fopen(argv[1], "r");
  void *lib = dlopen("libcuda.so.1", RTLD_NOW);
  if (!specs || !lib) { fprintf(stderr, "no specs or no libcuda.so.1\n"); return 1; }
  LOAD(cuInit) LOAD(cuDeviceGet) LOAD(cuDevicePrimaryCtxRetain) LOAD(cuCtxSetCurrent) LOAD(cuStreamCreate) LOAD(cuEventCreate)
  LOAD(cuModuleLoad) LOAD(cuModuleUnload) LOAD(cuModuleGetFunction) LOAD(cuFuncSetAttribute) LOAD(cuMemAlloc) LOAD(cuMemFree)
  LOAD(cuMemcpyHtoD) LOAD(cuLaunchKernel) LOAD(cuStreamBeginCapture) LOAD(cuStreamEndCapture) LOAD(cuGraphInstantiate)
  LOAD(cuGraphLaunch) LOAD(cuGraphExecDestroy) LOAD(cuGraphDestroy) LOAD(cuStreamSynchronize) LOAD(cuEventRecord) LOAD(cuEventElapsedTime)
  CUdevice device; CUcontext context; CUstream stream; CUevent start, end;
  OK(p_cuInit(0));
  OK(p_cuDeviceGet(&device, 0));
  OK(p_cuDevicePrimaryCtxRetain(&context, device));
  OK(p_cuCtxSetCurrent(context));
  OK(p_cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  OK(p_cuEventCreate(&start, CU_EVENT_DEFAULT));
  OK(p_cuEventCreate(&end, CU_EVENT_DEFAULT));

  char file[1024], name[256];
  unsigned g[3], b[3], shared;
  int count;
  while (fscanf(specs, "%1023s %255s %u %u %u %u %u %u %u %d", file, name, &g[0], &g[1], &g[2], &b[0], &b[1], &b[2], &shared, &count) == 10) {
    unsigned long bytes[MAX_BUFFERS];
    if (count > MAX_BUFFERS) return 2;
    for (int i = 0; i < count; i++) if (fscanf(specs, "%lu", &bytes[i]) != 1) return 2;
    if (!plain) printf("{\"us\":[");
    for (int load = 0; load < (plain ? 1 : LOADS); load++) {
    CUmodule module; CUfunction function; CUdeviceptr bases[MAX_BUFFERS], buffers[MAX_BUFFERS]; void *params[MAX_BUFFERS];
    OK(p_cuModuleLoad(&module, file));
    OK(p_cuModuleGetFunction(&function, module, name));
    if (shared > 48 * 1024) OK(p_cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared));
    for (int i = 0; i < count; i++) {
      float *host = malloc(bytes[i] + 4);
      unsigned seed = 12345u + (unsigned)i;
      for (unsigned long k = 0; k < bytes[i] / 4; k++) { seed = seed * 1664525u + 1013904223u; host[k] = (float)((int)(seed >> 23) - 256) / 256.0f; }
      OK(p_cuMemAlloc(&bases[i], bytes[i] + 2 * ZONE));
      buffers[i] = bases[i] + ZONE;
      OK(p_cuMemcpyHtoD(buffers[i], host, bytes[i]));
      params[i] = &buffers[i];
      free(host);
    }
#define LAUNCH() OK(p_cuLaunchKernel(function, g[0], g[1], g[2], b[0], b[1], b[2], shared, stream, params, NULL))
    if (plain) {
      for (int i = 0; i < 1 + plain; i++) { LAUNCH(); OK(p_cuStreamSynchronize(stream)); }
    } else {
      float ms;
      for (int i = 0; i < 3; i++) LAUNCH();
      OK(p_cuEventRecord(start, stream));
      for (int i = 0; i < 5; i++) LAUNCH();
      OK(p_cuEventRecord(end, stream));
      OK(p_cuStreamSynchronize(stream));
      OK(p_cuEventElapsedTime(&ms, start, end));
      int nodes = (int)(10.0f / (ms / 5)) + 1;
      if (nodes > 1500) nodes = 1500;
      CUgraph graph; CUgraphExec exec;
      OK(p_cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
      for (int i = 0; i < nodes; i++) LAUNCH();
      OK(p_cuStreamEndCapture(stream, &graph));
      OK(p_cuGraphInstantiate(&exec, graph, 0));
      int replays = (int)(30.0f / (nodes * ms / 5)) + 1;
      if (replays > 50) replays = 50;
      printf("%s[", load ? "," : "");
      for (int round = -1; round < ROUNDS; round++) {
        OK(p_cuEventRecord(start, stream));
        for (int i = 0; i < replays; i++) OK(p_cuGraphLaunch(exec, stream));
        OK(p_cuEventRecord(end, stream));
        OK(p_cuStreamSynchronize(stream));
        OK(p_cuEventElapsedTime(&ms, start, end));
        if (round >= 0) printf("%s%.5f", round ? "," : "", 1000.0 * ms / ((double)nodes * replays));
      }
      printf("]");
      OK(p_cuGraphExecDestroy(exec));
      OK(p_cuGraphDestroy(graph));
    }
    OK(p_cuStreamSynchronize(stream));
    for (int i = 0; i < count; i++) OK(p_cuMemFree(bases[i]));
    OK(p_cuModuleUnload(module));
    }
    if (!plain) { printf("]}\n"); fflush(stdout); }
  }
  return 0;
}
