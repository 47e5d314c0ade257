/** The header of an exported kernel, for C and C++. */
import { filledWorkspaces } from "./attached.ts";
import { aboutLines, comment, parametersOf, shapeWords, tensorsOf, workspacesOf } from "./layout.ts";
import type { ExportUnit, KernelText } from "./unit.ts";

const guarded = (name: string, includes: readonly string[], body: string): string => `#ifndef ${name}_H
#define ${name}_H

${["stddef.h", ...includes].map((file) => `#include <${file}>\n`).join("")}
#ifdef __cplusplus
extern "C" {
#endif

${body}
#ifdef __cplusplus
}
#endif
#endif
`;

const workspaceLines = ({
  name,
  kernel,
}: ExportUnit): string => `/* Of the workspace, which nobody else may use meanwhile; ${contentWords(kernel)}. 0: give a null pointer. */
#define ${name}_WORKSPACE_BYTES ((size_t)${workspacesOf(kernel).bytes})
`;

const contentWords = (kernel: KernelText): string =>
  filledWorkspaces(kernel)
    .map(({ name, offset, bytes, file }) => `${name}, ${bytes} bytes from ${offset} on, holds ${file} before each call`)
    .join("; ") || "its content does not matter";

/** One line a parameter, in the order of the call. */
const tensorLines = ({ kernel }: ExportUnit): string => comment(tensorsOf(kernel).map(shapeWords));

export const cudaHeader = (unit: ExportUnit): string =>
  comment(aboutLines(unit)) +
  guarded(
    unit.name,
    ["cuda_runtime_api.h"],
    `${tensorLines(unit)}// Pointers are of the current device, the workspace aligned to 256 bytes.
${workspaceLines(unit)}
/* Puts ${unit.kernel.kernels.length} kernel launch(es) on the stream; returns the first error of one. Does not wait. */
cudaError_t ${unit.name}_launch(${parametersOf(unit.kernel)}, void *workspace, cudaStream_t stream);
`,
  );

export const cHeader = (unit: ExportUnit): string =>
  comment(aboutLines(unit)) +
  guarded(
    unit.name,
    [],
    `${tensorLines(unit)}// The workspace is aligned to 64 bytes.
${workspaceLines(unit)}
/* Returns 0, or 1 when a pointer is not aligned as it must be. */
int ${unit.name}_run(${parametersOf(unit.kernel)}, void *workspace);
`,
  );
