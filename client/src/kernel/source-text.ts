/** A config of a kernel as one text: its macros, then the .cu. It compiles where the program's headers are. */
import type { CudaSourceProgram } from "@warpfarm/compiler/language";

export function sourceWithMacros({ defines, files, kernels, flags }: CudaSourceProgram): string {
  const [name = "", text = ""] = Object.entries(files).find(([file]) => file.endsWith(".cu")) ?? [];
  const launches = kernels.map(
    ({ entry, grid, block, shared_bytes: shared }) => `//   ${entry}<<<(${grid}), (${block}), ${shared}>>>`,
  );
  const macros = Object.entries(defines).map(([macro, value]) => `#define ${macro} ${value}`);
  const head = [`// ${name} as it was measured`, ...launches, ...(flags.length > 0 ? [`// flags: ${flags.join(" ")}`] : [])];
  return `${[...head, ...macros].join("\n")}\n\n${text}`;
}
