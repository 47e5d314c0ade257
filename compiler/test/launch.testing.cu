// Launches kernels of many cubins in turn and writes what their buffers hold then: launch PROGRAMS FIRST RUNS.
//
// PROGRAMS is what run-cuda.testing.ts writes: of each program its cubin, the file of its buffers before and the one for those after, then
// numbers and names. Each is run RUNS times from the same beginning, with 0xff bytes in all shared memory; it must give the same each time
// and leave the bytes around its buffers alone. A line says which program begins and how it ended; after an error of CUDA nothing follows.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <fstream>
#include <string>
#include <vector>

static int current;
static void check(bool good, const char *what, const char *why) {
  if (good) return;
  printf("wrong %d %s: %s\n", current, what, why);
  exit(3);
}
static void check(cudaError_t code, const char *what) { check(code == cudaSuccess, what, cudaGetErrorString(code)); }

extern __shared__ unsigned shared[];
__global__ void poison(int words) {
  for (int i = threadIdx.x; i < words; i += blockDim.x) ((volatile unsigned *)shared)[i] = 0xffffffff;
}

struct Kernel {
  std::string name;
  unsigned grid[3], block[3], cluster[3], shared;
  std::vector<int> args;
};
// A tensor map over a buffer, in the driver's numbers, innermost dimension first.
struct Map {
  int buffer, type, rank, interleave, swizzle, l2, oob;
  std::vector<cuuint64_t> dims, strides;
  std::vector<cuuint32_t> box, steps;
};
struct Program {
  std::string cubin, in, out;
  std::vector<size_t> bytes;
  std::vector<Map> maps;
  std::vector<Kernel> kernels;
};
static bool read(std::ifstream &from, Program &p) {
  size_t count;
  if (!(from >> p.cubin >> p.in >> p.out >> count)) return false;
  p.bytes.resize(count);
  for (size_t &bytes : p.bytes) from >> bytes;
  from >> count;
  p.maps.resize(count);
  for (Map &m : p.maps) {
    from >> m.buffer >> m.type >> m.rank >> m.interleave >> m.swizzle >> m.l2 >> m.oob;
    m.dims.resize(m.rank), m.strides.resize(m.rank - 1), m.box.resize(m.rank), m.steps.resize(m.rank);
    for (auto &n : m.dims) from >> n;
    for (auto &n : m.strides) from >> n;
    for (auto &n : m.box) from >> n;
    for (auto &n : m.steps) from >> n;
  }
  from >> count;
  p.kernels.resize(count);
  for (Kernel &k : p.kernels) {
    from >> k.name;
    for (unsigned &n : k.grid) from >> n;
    for (unsigned &n : k.block) from >> n;
    for (unsigned &n : k.cluster) from >> n;
    from >> k.shared >> count;
    k.args.resize(count);
    for (int &arg : k.args) from >> arg;
  }
  return true;
}

const size_t zone = 4096;

static CUtensorMap encoded(const Map &m, const std::vector<char *> &buffers) {
  typedef CUresult (*Encode)(CUtensorMap *, int, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, int, int, int, int);
  void *found = 0;
  cudaDriverEntryPointQueryResult status;
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &status), "cuTensorMapEncodeTiled");
  check(found != 0, "cuTensorMapEncodeTiled", "the driver has none");
  CUtensorMap map;
  const cuuint64_t none = 0;
  const cuuint64_t *strides = m.strides.empty() ? &none : m.strides.data();
  const CUresult code = ((Encode)found)(&map, m.type, m.rank, buffers[m.buffer], m.dims.data(), strides, m.box.data(), m.steps.data(), m.interleave, m.swizzle, m.l2, m.oob);
  check(code == CUDA_SUCCESS, "cuTensorMapEncodeTiled", ("error " + std::to_string(code)).c_str());
  return map;
}

static std::string run(const Program &p, int runs, int processors, int most) {
  cudaLibrary_t library;
  check(cudaLibraryLoadFromFile(&library, p.cubin.c_str(), 0, 0, 0, 0, 0, 0), "load");
  std::vector<cudaKernel_t> functions;
  for (const Kernel &k : p.kernels) {
    functions.emplace_back();
    check(cudaLibraryGetKernel(&functions.back(), library, k.name.c_str()), "kernel");
    if (k.shared > 0) check(cudaFuncSetAttribute(functions.back(), cudaFuncAttributeMaxDynamicSharedMemorySize, k.shared), "shared");
  }
  std::vector<std::string> given, first;
  std::vector<char *> memory, buffers;
  std::ifstream in(p.in, std::ios::binary);
  for (size_t bytes : p.bytes) {
    given.emplace_back(zone, (char)0xa5);
    given.back().resize(zone + bytes);
    in.read(&given.back()[zone], bytes);
    given.back().append(zone, (char)0xa5);
    memory.emplace_back();
    check(cudaMalloc(&memory.back(), bytes + 2 * zone), "malloc");
    buffers.push_back(memory.back() + zone);
  }
  std::vector<CUtensorMap> maps;
  for (const Map &m : p.maps) maps.push_back(encoded(m, buffers));
  std::string wrong;
  for (int turn = 0; turn < runs; ++turn) {
    for (size_t i = 0; i < given.size(); ++i) check(cudaMemcpy(memory[i], given[i].data(), given[i].size(), cudaMemcpyHostToDevice), "copy");
    if (runs > 1) poison<<<2 * processors, 1024, most>>>(most / 4);
    for (size_t n = 0; n < functions.size(); ++n) {
      const Kernel &k = p.kernels[n];
      std::vector<void *> args;
      // Below 0 are the maps: -1 is the first.
      for (int arg : k.args) args.push_back(arg < 0 ? (void *)&maps[-1 - arg] : &buffers[arg]);
      cudaLaunchAttribute attribute;
      attribute.id = cudaLaunchAttributeClusterDimension;
      attribute.val.clusterDim = {k.cluster[0], k.cluster[1], k.cluster[2]};
      cudaLaunchConfig_t config = {};
      config.gridDim = dim3(k.grid[0], k.grid[1], k.grid[2]), config.blockDim = dim3(k.block[0], k.block[1], k.block[2]);
      config.dynamicSmemBytes = k.shared;
      config.attrs = &attribute, config.numAttrs = k.cluster[0] > 1 ? 1 : 0;
      check(cudaLaunchKernelExC(&config, functions[n], args.data()), "launch");
    }
    check(cudaDeviceSynchronize(), "run");
    for (size_t i = 0; i < given.size(); ++i) {
      std::string after(given[i].size(), 0);
      check(cudaMemcpy(&after[0], memory[i], after.size(), cudaMemcpyDeviceToHost), "copy");
      const size_t end = zone + p.bytes[i];
      if (after.compare(0, zone, given[i], 0, zone) || after.compare(end, zone, given[i], end, zone))
        wrong = "wrote outside of buffer " + std::to_string(i);
      if (turn == 0) first.push_back(after);
      else if (after != first[i]) wrong = "buffer " + std::to_string(i) + " is another after run " + std::to_string(turn);
    }
  }
  std::ofstream out(p.out, std::ios::binary);
  for (const std::string &after : first) out.write(after.data() + zone, after.size() - 2 * zone);
  for (char *m : memory) check(cudaFree(m), "free");
  check(cudaLibraryUnload(library), "unload");
  return wrong;
}

int main(int, char **argv) {
  setvbuf(stdout, 0, _IOLBF, 0);
  int processors, most;
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0), "processors");
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), "shared memory");
  check(cudaFuncSetAttribute(poison, cudaFuncAttributeMaxDynamicSharedMemorySize, most), "poison");
  std::ifstream programs(argv[1]);
  Program p;
  for (current = 0; read(programs, p); ++current) {
    if (current < atoi(argv[2])) continue;
    printf("begin %d\n", current);
    const std::string wrong = run(p, atoi(argv[3]), processors, most);
    if (wrong.empty()) printf("done %d\n", current);
    else printf("wrong %d %s\n", current, wrong.c_str());
  }
  return 0;
}
