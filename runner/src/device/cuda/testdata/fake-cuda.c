/*
 * A libcuda for tests of the binding: compiled against the real cuda.h, so that names and signatures are NVIDIA's, and small enough to say
 * exactly what arrived. Device memory is host memory. Launching writes what it was given to the memory its first parameter points at:
 * grid, block, shared bytes, cluster as u32[10], then parameter 1 as u32, parameter 3's address modulo 64, parameters 2 and 3 as 8 bytes each;
 * where the launch has them, the policy of clusters and whether it depends on the launch before. -DFAKE_GPU=3 makes it an H100 of its own uuid,
 * which takes any code and answers the node's own kernels (own.cu) right, so that its runner is well; other kernels do nothing there.
 */
#include <cuda.h>
#include <stdlib.h>
#include <string.h>

static double now_ms;
/* A launch of one that is well takes so long that one is enough for a time. */
#define LAUNCH_MS 25
static int capturing;
static int captured;
static int retained;
static CUfunction fake_function = (CUfunction)0x2000000000000002ull;
static struct { CUlaunchConfig config; CUlaunchAttribute attributes[4]; void *params[4]; int count; } last;

CUresult cuInit(unsigned int flags) { return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
CUresult cuDriverGetVersion(int *version) { *version = 13000; return CUDA_SUCCESS; }
CUresult cuGetErrorName(CUresult error, const char **text) {
  *text = error == CUDA_ERROR_NOT_FOUND ? "CUDA_ERROR_NOT_FOUND" : NULL;
  return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGetErrorString(CUresult error, const char **text) { *text = "named symbol not found"; return error ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
CUresult cuDeviceGetCount(int *count) { *count = 1; return CUDA_SUCCESS; }
CUresult cuDeviceGet(CUdevice *device, int ordinal) { *device = 7; return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE; }
CUresult cuDeviceGetName(char *name, int len, CUdevice dev) { strncpy(name, "Fake GPU", len); return dev == 7 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE; }
#ifndef FAKE_GPU
#define FAKE_GPU 0
#define IS_WELL 0
static int attribute(int attrib) { return 1000 + attrib; }
#else
#define IS_WELL 1
/* As an H100's, for a runner that registers this GPU at a tracker. */
static int attribute(int attrib) {
  switch (attrib) {
  case 75: return 9;
  case 76: case 20: return 0;
  case 1: case 2: case 3: return 1024;
  case 4: return 64;
  case 5: return 2147483647;
  case 6: case 7: return 65535;
  case 8: return 49152;
  case 10: case 106: return 32;
  case 12: case 82: case 9: return 65536;
  case 16: return 132;
  case 39: return 2048;
  case 81: return 233472;
  case 97: return 232448;
  default: return 1000000;
  }
}
#endif
CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev) { for (int i = 0; i < 16; ++i) uuid->bytes[i] = i * 17 + FAKE_GPU; return dev == 7 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE; }
CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev) { *bytes = 85899345920ull; return dev == 7 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE; }
CUresult cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev) { *pi = attribute(attrib); return dev == 7 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE; }
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags) { return dev == 7 && flags == CU_CTX_SCHED_BLOCKING_SYNC ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev) { *pctx = (CUcontext)0x1000000000000001ull; retained = dev == 7; return CUDA_SUCCESS; }
CUresult cuCtxSetCurrent(CUcontext ctx) { return ctx == (CUcontext)0x1000000000000001ull && retained ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT; }
CUresult cuCtxResetPersistingL2Cache(void) { return retained ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT; }
CUresult cuMemGetInfo_v2(size_t *free, size_t *total) { *free = IS_WELL ? 1ull << 39 : 3; *total = 1ull << 40; return CUDA_SUCCESS; }
CUresult cuMemAlloc_v2(CUdeviceptr *p, size_t bytes) {
  if (bytes > 1ull << 40) return CUDA_ERROR_OUT_OF_MEMORY;
  *p = (CUdeviceptr)malloc(bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemHostAlloc(void **p, size_t bytes, unsigned flags) {
  *p = malloc(bytes);
  return flags == 2 /* CU_MEMHOSTALLOC_DEVICEMAP */ ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *p, void *host, unsigned flags) {
  *p = (CUdeviceptr)host;
  return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemFree_v2(CUdeviceptr p) { free((void *)p); return CUDA_SUCCESS; }
CUresult cuMemsetD8Async(CUdeviceptr p, unsigned char value, size_t n, CUstream stream) { memset((void *)p, value, n); return stream == (CUstream)0x3000000000000003ull ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE; }
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t n) { memcpy((void *)to, from, n); return CUDA_SUCCESS; }
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t n) { memcpy(to, (void *)from, n); return CUDA_SUCCESS; }
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream stream) { memmove((void *)to, (void *)from, n); (void)stream; return CUDA_SUCCESS; }
CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  *module = (CUmodule)0x4000000000000004ull;
  return IS_WELL || memcmp(image, "cubin", 5) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
}
CUresult cuModuleUnload(CUmodule module) { return module == (CUmodule)0x4000000000000004ull ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE; }
CUresult cuModuleGetFunction(CUfunction *fn, CUmodule module, const char *name) {
  *fn = IS_WELL ? (CUfunction)strdup(name) : fake_function;
  (void)module;
  if (IS_WELL) return CUDA_SUCCESS;
  return strcmp(name, "kernel") == 0 ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
CUresult cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction fn) { *pi = IS_WELL ? 0 : 100 + attrib; return IS_WELL || fn == fake_function ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE; }
CUresult cuFuncSetAttribute(CUfunction fn, CUfunction_attribute attrib, int value) {
  return IS_WELL || (fn == fake_function && attrib == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES && value == 100000) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuStreamCreate(CUstream *stream, unsigned int flags) { *stream = (CUstream)0x3000000000000003ull; return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
CUresult cuStreamDestroy_v2(CUstream stream) { return stream == (CUstream)0x3000000000000003ull ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE; }
CUresult cuStreamSynchronize(CUstream stream) { return stream == (CUstream)0x3000000000000003ull ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE; }
CUresult cuEventCreate(CUevent *event, unsigned int flags) { *event = malloc(8); (void)flags; return CUDA_SUCCESS; }
CUresult cuEventDestroy_v2(CUevent event) { free(event); return CUDA_SUCCESS; }
CUresult cuEventRecord(CUevent event, CUstream stream) { *(double *)event = now_ms += 1.5; (void)stream; return CUDA_SUCCESS; }
#undef cuEventElapsedTime
CUresult cuEventElapsedTime_v2(float *ms, CUevent a, CUevent b) { *ms = *(double *)b - *(double *)a; return CUDA_SUCCESS; }

/* The map says what arrived: u64s are the enumerations and the rank, a byte each, the address, five dims, four strides; then a byte for each of
 * five box extents less one and of five steps. */
CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address, const cuuint64_t *dims,
                                const cuuint64_t *strides, const cuuint32_t *box, const cuuint32_t *steps, CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill oob) {
  unsigned char *bytes = (unsigned char *)map;
  const unsigned char head[6] = {(unsigned char)type, (unsigned char)rank, (unsigned char)interleave, (unsigned char)swizzle, (unsigned char)l2, (unsigned char)oob};
  if ((unsigned long long)map % 64 != 0 || rank < 1 || rank > 5 || (unsigned long long)address % 16 != 0) return CUDA_ERROR_INVALID_VALUE;
  memset(map, 0, sizeof *map);
  memcpy(bytes, head, sizeof head);
  memcpy(bytes + 8, &address, 8);
  memcpy(bytes + 16, dims, 8 * rank);
  memcpy(bytes + 56, strides, 8 * (rank - 1));
  for (cuuint32_t i = 0; i < rank; ++i) bytes[88 + i] = (unsigned char)(box[i] - 1), bytes[93 + i] = (unsigned char)steps[i];
  return CUDA_SUCCESS;
}

/* The same, in place of the box: channels less one, pixels less one in two bytes, then corners of width and height, a byte each. */
CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address, const cuuint64_t *dims,
                                 const cuuint64_t *strides, const int *lower, const int *upper, cuuint32_t channels, cuuint32_t pixels,
                                 const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill oob) {
  const cuuint32_t box[5] = {1, 1, 1, 1, 1};
  unsigned char *bytes = (unsigned char *)map;
  const CUresult made = cuTensorMapEncodeTiled(map, type, rank, address, dims, strides, box, steps, interleave, swizzle, l2, oob);
  if (made != CUDA_SUCCESS || rank < 3) return CUDA_ERROR_INVALID_VALUE;
  bytes[88] = (unsigned char)(channels - 1), bytes[89] = (unsigned char)(pixels - 1), bytes[90] = (unsigned char)((pixels - 1) >> 8);
  for (cuuint32_t i = 0; i < rank - 2; ++i) bytes[100 + i] = (unsigned char)lower[i], bytes[104 + i] = (unsigned char)upper[i];
  return CUDA_SUCCESS;
}

static void execute(void) {
  unsigned *out = *(unsigned **)last.params[0];
  const CUlaunchConfig *c = &last.config;
  const unsigned words[7] = {c->gridDimX, c->gridDimY, c->gridDimZ, c->blockDimX, c->blockDimY, c->blockDimZ, c->sharedMemBytes};
  memcpy(out, words, sizeof words);
  memset(out + 7, 0, 12);
  for (unsigned i = 0; i < c->numAttrs; ++i) {
    const CUlaunchAttribute *a = last.attributes + i;
    if (a->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) memcpy(out + 7, &a->value.clusterDim, 12);
    if (a->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE) out[16] = a->value.clusterSchedulingPolicyPreference;
    if (a->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION) out[17] = a->value.programmaticStreamSerializationAllowed;
  }
  out[10] = *(unsigned *)last.params[1];
  out[11] = (unsigned)((unsigned long long)last.params[3] % 64);
  memcpy(out + 12, last.params[2], 8);
  memcpy(out + 14, last.params[3], 8);
}
/* As own.cu's comments say. */
static void execute_own(const char *name, unsigned words, void **params) {
  static unsigned chains[256];
  for (unsigned i = 0; i < 256 && chains[255] == 0; ++i) {
    union { float value; unsigned bits; } f = {(float)i / 256.0f};
    unsigned u = i;
    for (int round = 0; round < 4096; ++round) {
      u = (u ^ (u >> 15)) * 0x2c1b3c6du + 1u;
      f.value = 1.9375f - f.value * f.value;
    }
    chains[i] = u ^ f.bits;
  }
  if (strcmp(name, "arithmetic") == 0) {
    unsigned *out = *(unsigned **)params[0];
    for (unsigned i = 0; i < words; ++i) out[i] = chains[i % 256];
  } else if (strcmp(name, "memory") == 0) {
    const unsigned *in = *(unsigned **)params[0];
    unsigned *out = *(unsigned **)params[1];
    for (unsigned i = 0; i < words; ++i) out[i] = in[i] + i * 0x9e3779b1u;
  }
}
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **params, void **extra) {
  if (IS_WELL) return execute_own((const char *)f, config->gridDimX * config->blockDimX, params), now_ms += LAUNCH_MS, CUDA_SUCCESS;
  if (f != fake_function || extra != NULL || config->hStream != (CUstream)0x3000000000000003ull) return CUDA_ERROR_INVALID_HANDLE;
  last.config = *config;
  if (config->numAttrs > 4) return CUDA_ERROR_INVALID_VALUE;
  memcpy(last.attributes, config->attrs, config->numAttrs * sizeof(CUlaunchAttribute));
  memcpy(last.params, params, sizeof last.params);
  if (capturing) captured++;
  else execute();
  return CUDA_SUCCESS;
}
CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) { (void)stream; capturing = 1; captured = 0; return mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) { (void)stream; capturing = 0; *graph = (CUgraph)(0x5000000000000000ull + captured); return CUDA_SUCCESS; }
CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags) { *exec = (CUgraphExec)graph; return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
CUresult cuGraphDestroy(CUgraph graph) { return graph ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) { (void)stream; return exec ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) { (void)stream; if (IS_WELL) return now_ms += LAUNCH_MS, CUDA_SUCCESS; if ((unsigned long long)exec != 0x5000000000000002ull) return CUDA_ERROR_INVALID_VALUE; execute(); return CUDA_SUCCESS; }
CUresult cuGraphExecDestroy(CUgraphExec exec) { return exec ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
