/**
 * libnvrtc through koffi: CUDA text to cubin in this process. A compile cannot be stopped and may crash, so use it only in child
 * processes. The library opens its builtins by bare name, which the loader finds only when they are loaded already, so they are
 * loaded first.
 */
import { dirname, join } from "node:path";
import { err, ok, type Result } from "@warpfarm/common";
import koffi from "koffi";
import { filesOf } from "./find-libraries.ts";

export interface NvrtcRequest {
  readonly text: string;
  readonly fileName: string;
  /** The headers, by the names that #include directives spell. */
  readonly headers: Readonly<Record<string, string>>;
  readonly options: readonly string[];
  readonly expressions?: readonly string[];
}

interface NvrtcAnswer {
  /** Absent when the text was refused. */
  readonly cubin?: Uint8Array;
  readonly log: string;
  readonly symbols?: Readonly<Record<string, string>>;
}

export interface Nvrtc {
  readonly version: string;
  readonly architectures: readonly number[];
  compile(request: NvrtcRequest): NvrtcAnswer;
}

const NVRTC_SUCCESS = 0;
const NVRTC_ERROR_COMPILATION = 6;

/** A missing library is data. A bare name in `path` is searched by the loader. */
export function openNvrtc(path: string): Result<Nvrtc, { readonly message: string }> {
  try {
    loadBuiltins(path);
    return ok(new LibNvrtc(koffi.load(path)));
  } catch (error) {
    return err({ message: `${path}: ${error instanceof Error ? error.message : String(error)}` });
  }
}

function loadBuiltins(path: string): void {
  if (!path.includes("/")) return;
  for (const name of filesOf(dirname(path)).filter((file) => /^libnvrtc-builtins\.so\.\d+\.\d+$/.test(file)))
    koffi.load(join(dirname(path), name));
}

const out64 = (): BigUint64Array<ArrayBuffer> => new BigUint64Array(new ArrayBuffer(8));

class LibNvrtc implements Nvrtc {
  readonly version: string;
  readonly architectures: readonly number[];
  readonly #f: ReturnType<typeof bind>;

  constructor(library: ReturnType<typeof koffi.load>) {
    this.#f = bind(library);
    const [major, minor] = [new Int32Array(new ArrayBuffer(8)), new Int32Array(new ArrayBuffer(8))];
    this.#check("nvrtcVersion", this.#f.version(major, minor));
    this.version = `${major[0]}.${minor[0]}`;
    const count = new Int32Array(new ArrayBuffer(8));
    this.#check("nvrtcGetNumSupportedArchs", this.#f.architectureCount(count));
    const architectures = new Int32Array(new ArrayBuffer(4 * Math.max(1, count[0] ?? 0)));
    this.#check("nvrtcGetSupportedArchs", this.#f.architectures(architectures));
    this.architectures = [...architectures].slice(0, count[0] ?? 0);
  }

  compile({ text, fileName, headers, options, expressions = [] }: NvrtcRequest): NvrtcAnswer {
    const f = this.#f;
    const program = out64();
    const names = Object.keys(headers);
    const texts = Object.values(headers);
    this.#check(
      "nvrtcCreateProgram",
      f.create(program, text, fileName, names.length, texts.length > 0 ? texts : null, names.length > 0 ? names : null),
    );
    try {
      for (const [i, expression] of expressions.entries())
        this.#check(`nvrtcAddNameExpression of entry ${i + 1}, ${expression}`, f.addName(program[0] ?? 0n, expression));
      const code = f.compile(program[0] ?? 0n, options.length, [...options]);
      const log = this.#text(program, "nvrtcGetProgramLog", f.logSize, f.log);
      if (code !== NVRTC_SUCCESS) return { log: code === NVRTC_ERROR_COMPILATION ? log : `${this.#errorText(code)}\n${log}` };
      const size = out64();
      this.#check("nvrtcGetCUBINSize", f.cubinSize(program[0] ?? 0n, size));
      const cubin = new Uint8Array(new ArrayBuffer(Number(size[0] ?? 0n)));
      this.#check("nvrtcGetCUBIN", f.cubin(program[0] ?? 0n, cubin));
      if (expressions.length === 0) return { cubin, log };
      const symbols = expressions.map((expression) => [expression, this.#symbol(program, expression)] as const);
      return { cubin, log, symbols: Object.fromEntries(symbols) };
    } finally {
      f.destroy(program);
    }
  }

  /** The library keeps the text until the program is destroyed. */
  #symbol(program: BigUint64Array, expression: string): string {
    const out: [string | null] = [null];
    this.#check(`nvrtcGetLoweredName of ${expression}`, this.#f.loweredName(program[0] ?? 0n, expression, out));
    return out[0] ?? "";
  }

  #text(program: BigUint64Array, name: string, sizeOf: Native, read: Native): string {
    const size = out64();
    this.#check(`${name}Size`, sizeOf(program[0] ?? 0n, size));
    const bytes = new Uint8Array(new ArrayBuffer(Number(size[0] ?? 0n)));
    if (bytes.length > 0) this.#check(name, read(program[0] ?? 0n, bytes));
    // ptxas's messages follow a zero byte.
    return Buffer.from(bytes).toString("utf8").replaceAll("\0", "\n");
  }

  #errorText(code: number): string {
    return this.#f.errorString(code) ?? `NVRTC error ${code}`;
  }
  #check(call: string, code: number): void {
    if (code !== NVRTC_SUCCESS) throw new Error(`${call}: ${this.#errorText(code)} (${code})`);
  }
}

type Native = (...args: readonly unknown[]) => number;

function bind(library: ReturnType<typeof koffi.load>) {
  const f = (definition: string): Native => library.func(definition) as Native;
  return {
    errorString: library.func("const char *nvrtcGetErrorString(int code)") as (code: number) => string | null,
    version: f("int nvrtcVersion(void *major, void *minor)"),
    architectureCount: f("int nvrtcGetNumSupportedArchs(void *count)"),
    architectures: f("int nvrtcGetSupportedArchs(void *architectures)"),
    create: f(
      "int nvrtcCreateProgram(void *program, const char *text, const char *name, int count, const char **headers, const char **names)",
    ),
    destroy: f("int nvrtcDestroyProgram(void *program)"),
    addName: f("int nvrtcAddNameExpression(uint64_t program, const char *expression)"),
    loweredName: f("int nvrtcGetLoweredName(uint64_t program, const char *expression, _Out_ const char **name)"),
    compile: f("int nvrtcCompileProgram(uint64_t program, int count, const char **options)"),
    logSize: f("int nvrtcGetProgramLogSize(uint64_t program, void *size)"),
    log: f("int nvrtcGetProgramLog(uint64_t program, void *log)"),
    cubinSize: f("int nvrtcGetCUBINSize(uint64_t program, void *size)"),
    cubin: f("int nvrtcGetCUBIN(uint64_t program, void *cubin)"),
  };
}
