/**
 * Tunables that the text declares itself. A tunable is a macro of its name, so `int n` becomes `int 4096`, and the compiler
 * reports a hundred errors that do not name the cause. Only plain declarations are found.
 */
import { withoutComments } from "./signature.ts";

const words =
  "alignas asm auto bool break case char class const constexpr continue default delete do double else enum explicit extern false float for friend goto if inline int long mutable namespace new operator private protected public register return short signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while threadIdx blockIdx blockDim gridDim warpSize __global__ __device__ __shared__ __constant__ __syncthreads";
const reserved = new Set(words.split(" "));

const type =
  /(?<![\w$])(?:(?:un)?signed|int|long|short|char|bool|float|double|half2?|__half2?|auto|void|size_t|dim3|u?int(?:8|16|32|64)_t|uint|ushort|uchar|(?:u?(?:int|char|short|long)|float|double)[1-4]|(?:__)?nv_bfloat162?|typename|class|struct|enum|namespace)(?:[\s*&]|const\b|__restrict__\b|__restrict\b)*[\s*&]$/;

/** The fault that prevents the macro; undefined where there is none. */
export function identifierFault(files: Readonly<Record<string, string>>, name: string): string | undefined {
  if (reserved.has(name)) return `${name} is a word of C++ or CUDA`;
  for (const [file, whole] of Object.entries(files)) {
    const text = withoutComments(whole).replace(/"(?:[^"\\\n]|\\.)*"/g, (quoted) => " ".repeat(quoted.length));
    const asks = new RegExp(`#[ \\t]*(?:ifn?def|undef)[ \\t]+${name}\\b|\\bdefined[ \\t]*\\(?[ \\t]*${name}\\b`);
    if (asks.test(text)) return undefined;
    for (const { index } of text.matchAll(new RegExp(`\\b${name}\\b(?=\\s*[,;=)[({>]|\\s*$)`, "g"))) {
      const before = text.slice(Math.max(0, index - 200), index);
      const line = before.slice(before.lastIndexOf("\n") + 1);
      if (/^\s*#/.test(line) || !type.test(before)) continue;
      const [declared = ""] = type.exec(before) ?? [];
      return `${file}:${text.slice(0, index).split("\n").length} declares it (${declared.trim().replace(/\s+/g, " ")} ${name})`;
    }
  }
  return undefined;
}
