/** Programs that run an exported kernel and its reference on seeded inputs, and compare every element of every output. */
import type { ManifestBuffer } from "@warpfarm/common";
import { filledWorkspaces } from "./attached.ts";
import { checkText, tensorLine } from "./check-text.ts";
import { comment, isWorkspace, parametersOf, tensorsOf, workspacesOf } from "./layout.ts";
import type { ExportUnit, KernelText } from "./unit.ts";

const usage = ({ name }: ExportUnit): string =>
  comment([
    `Runs ${name} and its reference on seeded inputs; exit 0 when every output agrees.`,
    `${name}_test [--write FOLDER]: writes what the buffers hold afterwards to FOLDER/BUFFER.bin.`,
  ]);

const table = (unit: ExportUnit): string => {
  const { buffers } = unit.kernel;
  const lines = buffers.map((buffer, number) => (isWorkspace(buffer) ? "" : tensorLine(unit, buffer, number)));
  return `enum { tensors = ${tensorsOf(unit.kernel).length} };\nstatic const Tensor table[] = {\n${lines.join("")}};\n`;
};

/** Arguments of a call in the text's own order of tensors; both texts have the same names. */
function callArguments(unit: ExportUnit, text: KernelText, from: string): string {
  const names = tensorsOf(unit.kernel).map(({ name }) => name);
  return tensorsOf(text)
    .map(({ name, dtype }: ManifestBuffer) => `(${pointer(dtype)})${from}[${names.indexOf(name)}]`)
    .join(", ");
}
const pointer = (dtype: ManifestBuffer["dtype"]): string => `${pointers[dtype] ?? "void"} *`;
const pointers: Partial<Record<ManifestBuffer["dtype"], string>> = {
  float32: "float",
  float64: "double",
  int8: "signed char",
  uint8: "unsigned char",
  int32: "int",
  int64: "long long",
};

const loadsWorkspaces = ({ kernel, reference }: ExportUnit): boolean =>
  [kernel, reference].some((text) => filledWorkspaces(text).length > 0);
const workspaceLoads = ({ kernel, reference }: ExportUnit, load: string): string =>
  (
    [
      [kernel, "workspace"],
      [reference, "reference_workspace"],
    ] as const
  )
    .flatMap(([text, pointer]) =>
      filledWorkspaces(text).map(
        ({ file, offset, bytes }) => `  ${load}("${file}", (char *)${pointer} + ${offset}, ${bytes});\n`,
      ),
    )
    .join("");
const deviceLoad = `static void load_on_device(const char *name, void *there, size_t bytes) {
  void *content = malloc(bytes + 1);
  if (!content) exit(2);
  load(name, content, bytes);
  must(cudaMemcpy(there, content, bytes, cudaMemcpyHostToDevice), name);
  free(content);
}

`;

const folderOf = `  const char *folder = argc == 3 && !strcmp(argv[1], "--write") ? argv[2] : NULL;
  if (argc != 1 && !folder) {
    fprintf(stderr, "usage: %s [--write FOLDER]\\n", argv[0]);
    return 2;
  }
`;
const writes = `  for (int i = 0; folder && i < tensors; ++i)
    if (write_tensor(folder, &table[i], got[i])) return 2;
`;

export const cSelfTest = (unit: ExportUnit): string => `${usage(unit)}#define _POSIX_C_SOURCE 200112L
#include "${unit.name}.h"

#include <time.h>
${checkText}
int ${unit.name}_reference_run(${parametersOf(unit.reference)}, void *workspace);

${table(unit)}
static void *allocate(size_t bytes) {
  void *memory = NULL;
  if (posix_memalign(&memory, 4096, bytes ? bytes : 1)) {
    fprintf(stderr, "no memory for %zu bytes\\n", bytes);
    exit(2);
  }
  return memory;
}

int main(int argc, char **argv) {
${folderOf}  void *got[tensors], *expected[tensors];
  for (int i = 0; i < tensors; ++i) {
    got[i] = allocate(table[i].bytes);
    expected[i] = table[i].is_output ? allocate(table[i].bytes) : got[i];
    fill(&table[i], got[i]);
    if (table[i].is_output) fill(&table[i], expected[i]);
  }
  void *workspace = allocate(${unit.name}_WORKSPACE_BYTES), *reference_workspace = allocate((size_t)${workspacesOf(unit.reference).bytes});
${workspaceLoads(unit, "load")}  if (${unit.name}_reference_run(${callArguments(unit, unit.reference, "expected")}, reference_workspace)) return 2;
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  if (${unit.name}_run(${callArguments(unit, unit.kernel, "got")}, workspace)) return 2;
  clock_gettime(CLOCK_MONOTONIC, &end);
  size_t wrong = 0;
  for (int i = 0; i < tensors; ++i)
    if (table[i].is_output) wrong += compare("${unit.name}", &table[i], got[i], expected[i]);
${writes}  printf("${unit.name}: first run %.3f ms\\n", (end.tv_sec - begin.tv_sec) * 1e3 + (end.tv_nsec - begin.tv_nsec) / 1e6);
  return wrong ? 1 : 0;
}
`;

export const cudaSelfTest = (unit: ExportUnit): string => `${usage(unit)}#include "${unit.name}.h"

#include <cuda_runtime.h>
${checkText}
extern "C" cudaError_t ${unit.name}_reference_launch(${parametersOf(unit.reference)}, void *workspace, cudaStream_t stream);

${table(unit)}
static void must(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s: %s\\n", what, cudaGetErrorString(error));
  exit(2);
}

${loadsWorkspaces(unit) ? deviceLoad : ""}static void *on_device(const Tensor *t, const void *content) {
  void *memory = NULL;
  must(cudaMalloc(&memory, t->bytes ? t->bytes : 1), "cudaMalloc");
  must(cudaMemcpy(memory, content, t->bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  return memory;
}

int main(int argc, char **argv) {
${folderOf}  void *got[tensors], *expected[tensors], *there[tensors], *reference[tensors];
  for (int i = 0; i < tensors; ++i) {
    got[i] = malloc(table[i].bytes + 1);
    expected[i] = table[i].is_output ? malloc(table[i].bytes + 1) : got[i];
    if (!got[i] || !expected[i]) return 2;
    fill(&table[i], got[i]);
    there[i] = on_device(&table[i], got[i]);
    reference[i] = table[i].is_output ? on_device(&table[i], got[i]) : there[i];
  }
  void *workspace = NULL, *reference_workspace = NULL;
  must(cudaMalloc(&workspace, ${unit.name}_WORKSPACE_BYTES + 1), "cudaMalloc of the workspace");
  must(cudaMalloc(&reference_workspace, (size_t)${workspacesOf(unit.reference).bytes + 1}), "cudaMalloc of the reference's workspace");
${workspaceLoads(unit, "load_on_device")}  must(${unit.name}_reference_launch(${callArguments(unit, unit.reference, "reference")}, reference_workspace, 0), "the reference");
  must(cudaDeviceSynchronize(), "the reference");
  must(${unit.name}_launch(${callArguments(unit, unit.kernel, "there")}, workspace, 0), "${unit.name}");
  must(cudaDeviceSynchronize(), "${unit.name}");
  size_t wrong = 0;
  for (int i = 0; i < tensors; ++i) {
    if (!table[i].is_output) continue;
    must(cudaMemcpy(got[i], there[i], table[i].bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    must(cudaMemcpy(expected[i], reference[i], table[i].bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    wrong += compare("${unit.name}", &table[i], got[i], expected[i]);
  }
${writes}  enum { runs = 20 };
  cudaEvent_t begin, end;
  must(cudaEventCreate(&begin), "cudaEventCreate");
  must(cudaEventCreate(&end), "cudaEventCreate");
  must(cudaEventRecord(begin, 0), "cudaEventRecord");
  for (int i = 0; i < runs; ++i) must(${unit.name}_launch(${callArguments(unit, unit.kernel, "there")}, workspace, 0), "${unit.name}");
  must(cudaEventRecord(end, 0), "cudaEventRecord");
  must(cudaEventSynchronize(end), "${unit.name}");
  float ms = 0;
  must(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
  printf("${unit.name}: %.4f ms, mean of %d runs\\n", ms / runs, runs);
  return wrong ? 1 : 0;
}
`;
