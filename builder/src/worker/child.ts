/** The compile child: the compiler's lowering, served. */
import { err, measureErrorNo, ok } from "@warpfarm/common";
import { compileProgram, decodeProgram } from "@warpfarm/compiler";
import { serveBuilds } from "./serve-builds.ts";

serveBuilds((bytes) => {
  const program = decodeProgram(bytes);
  if (!program.ok) return err({ errorNo: measureErrorNo.INSTANTIATION_ERROR, rule: "program", message: program.error.message });
  const text = compileProgram(program.value);
  const source = program.value.kind === "cuda_source" ? { source: program.value } : {};
  return text.ok ? ok({ text: text.value, target: program.value.target, ...source }) : text;
});
