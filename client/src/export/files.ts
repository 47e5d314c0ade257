/** The files of an export, by format. Pure: compiled code is an input. */
import { badInput } from "@warpfarm/common";
import { attachedFiles } from "./attached.ts";
import { cReference, cSource } from "./c-source.ts";
import { cCMake, cudaCMake } from "./cmake.ts";
import { cudaReference, cudaSource } from "./cuda-source.ts";
import { dispatchOf } from "./dispatch.ts";
import { cHeader, cudaHeader } from "./headers.ts";
import { type ExportCode, jsonText, launchDocument } from "./launch-json.ts";
import type { ModelDocument } from "./model/model.ts";
import { pythonModel } from "./python/model.ts";
import { pythonLibrary, pythonModule } from "./python/module.ts";
import { cSelfTest, cudaSelfTest } from "./self-test.ts";
import type { ExportUnit, LibraryShape } from "./unit.ts";

export const exportFormats = ["cuda", "cubin", "ptx", "c", "python", "json"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Whether a format holds compiled code; `ptx` holds PTX, the others what a device loads. */
export const hasCode = (format: ExportFormat): boolean => format === "cubin" || format === "ptx" || format === "python";

/** The kind of target that a format supports; absent: any. */
export const formatKind: Readonly<Partial<Record<ExportFormat, "cpu" | "cuda">>> = {
  cuda: "cuda",
  cubin: "cuda",
  ptx: "cuda",
  c: "cpu",
};

export type Files = ReadonlyMap<string, string | Uint8Array>;

/** An entry of a library of shapes, under the name of its operator. Shapes of `libraries` call what the caller registers. */
export interface Front {
  readonly name: string;
  readonly units: readonly ExportUnit[];
  readonly libraries?: readonly LibraryShape[];
}

/** Throws FarmError INVALID_ARGUMENT when two units need different files of one name. */
export function exportFiles(
  format: ExportFormat,
  library: string,
  units: readonly ExportUnit[],
  codes: ReadonlyMap<string, ExportCode>,
  fronts: readonly Front[] = [],
  model?: ModelDocument,
): Files {
  const files = new Map<string, string | Uint8Array>();
  const put = (name: string, content: string | Uint8Array): void => {
    const there = files.get(name);
    if (there !== undefined && !isSame(there, content))
      throw badInput(`two kernels need different files ${name}; export them one by one, or give --name`);
    files.set(name, content);
  };
  for (const unit of units) {
    if (format === "cuda" || format === "c") putSources(unit, format, put);
    else {
      const code = codes.get(unit.name);
      if (code !== undefined) put(code.file, code.bytes);
      put(`${unit.name}.json`, jsonText(launchDocument(unit, code)));
      if (format === "python" && fronts.length === 0) put(`${unit.name}.py`, pythonModule(unit));
    }
  }
  if (format === "python" && fronts.length > 0) put(`${library}.py`, pythonLibrary(library, fronts));
  if (model) {
    put("model.json", jsonText(model));
    put("model.py", pythonModel(model));
  }
  if (format !== "cuda" && format !== "c") return files;
  const sources: string[] = [];
  if (fronts.length > 0) {
    const { header, source } = dispatchOf(library, fronts, format);
    put(`${library}.h`, header);
    sources.push(`${library}.${format === "c" ? "c" : "cpp"}`);
    put(sources[0] as string, source);
  }
  put("CMakeLists.txt", format === "c" ? cCMake(library, units, sources) : cudaCMake(library, units, sources));
  return files;
}

const isSame = (a: string | Uint8Array, b: string | Uint8Array): boolean => Buffer.compare(Buffer.from(a), Buffer.from(b)) === 0;

function putSources(unit: ExportUnit, format: "cuda" | "c", put: (name: string, content: string | Uint8Array) => void): void {
  const { name } = unit;
  for (const [path, content] of attachedFiles(unit)) put(path, content);
  if (format === "c") {
    put(`${name}.h`, cHeader(unit));
    put(`${name}.c`, cSource(unit));
    put(`${name}_reference.c`, cReference(unit));
    put(`${name}_test.c`, cSelfTest(unit));
    return;
  }
  put(`${name}.h`, cudaHeader(unit));
  put(`${name}.cu`, cudaSource(unit));
  put(`${name}_reference.cu`, cudaReference(unit));
  put(`${name}_test.cu`, cudaSelfTest(unit));
  for (const { source } of [unit.kernel, unit.reference])
    for (const [file, content] of Object.entries(source?.files ?? {})) if (!file.endsWith(".cu")) put(file, content);
}
