/**
 * A config of a kernel as a file. CUDA text has its macros at its head and compiles where the program's headers are. PTX says how
 * it was assembled. A cubin is unchanged.
 */
import type { CodeProgram } from "@warpfarm/compiler/language";

export interface CodeFile {
  readonly extension: string;
  readonly bytes: string | Uint8Array;
}

export function codeAsMeasured(program: CodeProgram): CodeFile {
  if (program.kind === "cubin") return { extension: "cubin", bytes: Buffer.from(program.code, "base64") };
  const isPtx = program.kind === "ptx";
  const [name = "", text = ""] = isPtx
    ? ["PTX", program.text]
    : (Object.entries(program.files).find(([file]) => file.endsWith(".cu")) ?? []);
  const { kernels, flags } = program;
  const launches = kernels.map(
    ({ entry, grid, block, shared_bytes: shared }) => `//   ${entry}<<<(${grid}), (${block}), ${shared}>>>`,
  );
  const macros = isPtx ? [] : Object.entries(program.defines).map(([macro, value]) => `#define ${macro} ${value}`);
  const head = [`// ${name} as it was measured`, ...launches, ...(flags.length > 0 ? [`// flags: ${flags.join(" ")}`] : [])];
  return { extension: isPtx ? "ptx" : "cu", bytes: `${[...head, ...macros].join("\n")}\n\n${text}` };
}
