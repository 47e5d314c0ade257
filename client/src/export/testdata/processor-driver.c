/*
 * A libcuda whose device is this processor, for tests of exported Python: compiled against the real cuda.h, so names, signatures and
 * structures are NVIDIA's. A module is a shared object. Its kernel NAME is void NAME(void **params), with the pointers that a launch
 * has, and int NAME_params[] says their sizes, up to a 0. A capture keeps launches and copies; the graph repeats them. Each call that
 * matters is a line on standard output.
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <elf.h>

#define CONTEXT ((CUcontext)0x1000000000000001ull)
#define STREAM ((CUstream)0x3000000000000003ull)
typedef struct { void (*run)(void **); const int *sizes; char name[64]; } Function;
/* Parameters are copied when they are launched, as a driver does; none here is longer than 128 bytes. */
typedef struct { const Function *function; void *to; const void *from; size_t bytes; unsigned char values[16][128]; } Work;
static Work *kept;
static int capturing, count;
static CUcontext current;
static double now_ms;

static void perform(Work *work) {
  void *params[16];
  if (!work->function) { memmove(work->to, work->from, work->bytes); return; }
  for (int i = 0; work->function->sizes[i]; ++i) params[i] = work->values[i];
  work->function->run(params);
}
static CUresult enqueue(Work *work) {
  if (!capturing) { perform(work); return CUDA_SUCCESS; }
  kept = realloc(kept, (count + 1) * sizeof *kept);
  kept[count++] = *work;
  return CUDA_SUCCESS;
}

CUresult cuInit(unsigned flags) { setvbuf(stdout, NULL, _IONBF, 0); return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS; }
CUresult cuGetErrorName(CUresult error, const char **text) { *text = error == CUDA_ERROR_NOT_FOUND ? "CUDA_ERROR_NOT_FOUND" : "CUDA_ERROR_INVALID_VALUE"; return CUDA_SUCCESS; }
CUresult cuCtxGetCurrent(CUcontext *context) { *context = current; return CUDA_SUCCESS; }
CUresult cuCtxSetCurrent(CUcontext context) { current = context; return context == CONTEXT ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT; }
CUresult cuDeviceGet(CUdevice *device, int ordinal) { *device = 7; return ordinal ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) { *context = CONTEXT; return device == 7 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE; }

/* The length of an ELF file is in its head; it ends with its sections' table. */
CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  const Elf64_Ehdr *head = image;
  const int file = memfd_create("module", 0);
  const size_t bytes = head->e_shoff + (size_t)head->e_shnum * head->e_shentsize;
  char path[64];
  if (write(file, image, bytes) != (ssize_t)bytes || capturing) return CUDA_ERROR_INVALID_IMAGE;
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  puts("load");
  return *module ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
}
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  char params[80];
  Function *made = calloc(1, sizeof *made);
  snprintf(params, sizeof params, "%s_params", name);
  made->sizes = dlsym(module, params);
  made->run = (void (*)(void **))dlsym(module, name);
  if (!made->run || !made->sizes) return CUDA_ERROR_NOT_FOUND;
  snprintf(made->name, sizeof made->name, "%s", name);
  *function = (CUfunction)made;
  return CUDA_SUCCESS;
}
CUresult cuModuleGetGlobal_v2(CUdeviceptr *pointer, size_t *bytes, CUmodule module, const char *name) { *pointer = (CUdeviceptr)dlsym(module, name); *bytes = 0; return *pointer ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND; }
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) { printf("attribute %s %d %d\n", ((Function *)function)->name, attribute, value); return CUDA_SUCCESS; }
CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address, const cuuint64_t *dims,
                                const cuuint64_t *strides, const cuuint32_t *box, const cuuint32_t *steps, CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill oob) {
  if ((size_t)map % 64 || (size_t)address % 16) return CUDA_ERROR_INVALID_VALUE;
  memset(map, 0, sizeof *map);
  memcpy(map, &address, sizeof address);
  printf("map %d %d", type, rank);
  for (unsigned i = 0; i < rank; ++i) printf(" %llu/%llu/%u/%u", (unsigned long long)dims[i], i + 1 < rank ? (unsigned long long)strides[i] : 0, box[i], steps[i]);
  printf(" %d %d %d %d\n", interleave, swizzle, l2, oob);
  return CUDA_SUCCESS;
}
CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address, const cuuint64_t *dims,
                                 const cuuint64_t *strides, const int *lower, const int *upper, cuuint32_t channels, cuuint32_t pixels,
                                 const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill oob) {
  if ((size_t)map % 64 || (size_t)address % 16) return CUDA_ERROR_INVALID_VALUE;
  memset(map, 0, sizeof *map);
  memcpy(map, &address, sizeof address);
  printf("pixels %d %d %u/%u", type, rank, channels, pixels);
  for (unsigned i = 0; i < rank; ++i) printf(" %llu/%llu/%u", (unsigned long long)dims[i], i + 1 < rank ? (unsigned long long)strides[i] : 0, steps[i]);
  for (unsigned i = 0; i + 2 < rank; ++i) printf(" %d..%d", lower[i], upper[i]);
  printf(" %d %d %d %d\n", interleave, swizzle, l2, oob);
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **params, void **extra) {
  Work work = {.function = (const Function *)f};
  printf("launch %s %u,%u,%u %u,%u,%u %u stream %llu", work.function->name, c->gridDimX, c->gridDimY, c->gridDimZ, c->blockDimX, c->blockDimY, c->blockDimZ, c->sharedMemBytes, (unsigned long long)c->hStream);
  for (unsigned i = 0; i < c->numAttrs; ++i) {
    const CUlaunchAttribute *a = c->attrs + i;
    if (a->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) printf(" cluster %u,%u,%u", a->value.clusterDim.x, a->value.clusterDim.y, a->value.clusterDim.z);
    else if (a->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) printf(" cooperative %d", a->value.cooperative);
    else if (a->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION) printf(" dependent %d", a->value.programmaticStreamSerializationAllowed);
    else if (a->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE) printf(" scheduling %d", a->value.clusterSchedulingPolicyPreference);
    else return CUDA_ERROR_INVALID_VALUE;
  }
  puts("");
  for (int i = 0; work.function->sizes[i]; ++i) memcpy(work.values[i], params[i], work.function->sizes[i]);
  return extra ? CUDA_ERROR_INVALID_VALUE : enqueue(&work);
}
CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) { *pointer = (CUdeviceptr)aligned_alloc(256, (bytes + 255) / 256 * 256); return CUDA_SUCCESS; }
CUresult cuMemsetD8_v2(CUdeviceptr pointer, unsigned char value, size_t bytes) { memset((void *)pointer, value, bytes); return CUDA_SUCCESS; }
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) { memcpy((void *)to, from, bytes); return CUDA_SUCCESS; }
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) { memcpy(to, (const void *)from, bytes); return CUDA_SUCCESS; }
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  Work work = {.to = (void *)to, .from = (const void *)from, .bytes = bytes};
  printf("copy %zu stream %llu\n", bytes, (unsigned long long)stream);
  return enqueue(&work);
}
CUresult cuStreamCreate(CUstream *stream, unsigned flags) { *stream = STREAM; return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS; }
CUresult cuStreamSynchronize(CUstream stream) { return stream == STREAM && !capturing ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE; }
CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) { capturing = 1; return stream == STREAM && mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) { capturing = 0; *graph = (CUgraph)0x5000000000000005ull; printf("captured %d\n", count); return stream == STREAM ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE; }
CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags) { *exec = (CUgraphExec)0x6000000000000006ull; return graph && !flags ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
CUresult cuGraphDestroy(CUgraph graph) { return graph ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  if (exec != (CUgraphExec)0x6000000000000006ull || stream != STREAM) return CUDA_ERROR_INVALID_VALUE;
  for (int i = 0; i < count; ++i) perform(kept + i);
  now_ms += 2.5;
  puts("graph");
  return CUDA_SUCCESS;
}
CUresult cuEventCreate(CUevent *event, unsigned flags) { *event = calloc(1, 8); return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS; }
CUresult cuEventDestroy_v2(CUevent event) { free(event); return CUDA_SUCCESS; }
CUresult cuEventRecord(CUevent event, CUstream stream) { *(double *)event = now_ms; return stream == STREAM ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE; }
#undef cuEventElapsedTime
CUresult cuEventElapsedTime(float *ms, CUevent a, CUevent b) { *ms = (float)(*(double *)b - *(double *)a); return CUDA_SUCCESS; }
