/** The chunk with the compiler in it: a program's trace, loop nest and code as texts. */
import { type CodeProgram, decodeProgram, languageOf, lowerProgram, type TraceStep } from "@warpfarm/compiler";
import hljs from "highlight.js/lib/core";
import cpp from "highlight.js/lib/languages/cpp";
import typescript from "highlight.js/lib/languages/typescript";

hljs.registerLanguage("cpp", cpp);
hljs.registerLanguage("typescript", typescript);

export interface KernelText {
  readonly name: string;
  readonly text: string;
  readonly html?: string;
}
interface Given {
  readonly program: string | undefined;
  readonly ptx: string | undefined;
}

interface Form {
  readonly name: string;
  readonly text: string;
  readonly language?: "cpp" | "typescript";
}

const mostHighlighted = 200_000;

const shown = (name: string, text: string, language?: "cpp" | "typescript"): Form => ({
  name,
  text,
  ...(language === undefined ? {} : { language }),
});
const highlighted = ({ name, text, language }: Form): KernelText =>
  language === undefined || text.length > mostHighlighted
    ? { name, text }
    : { name, text, html: hljs.highlight(text, { language }).value };

/** `isPlain`: the texts are compared, so their markup is not needed. */
export function kernelTexts({ program, ptx }: Given, { isPlain = false } = {}): readonly KernelText[] {
  const forms = [...(program === undefined ? [] : ofProgram(program)), ...(ptx === undefined ? [] : [shown("PTX", ptx)])];
  return isPlain ? forms : forms.map(highlighted);
}

function ofProgram(text: string): readonly Form[] {
  const decoded = decodeProgram(new TextEncoder().encode(text) as Parameters<typeof decodeProgram>[0]);
  if (!decoded.ok) throw new Error(`its program is not one: ${decoded.error.message}`);
  const program = decoded.value;
  if (program.kind !== "schedule") return ofCode(program);
  const device = languageOf(program.target as Parameters<typeof languageOf>[0]).name;
  const form = (name: string, emit: Parameters<typeof lowerProgram>[1]["emit"]): Form => {
    const lowered = lowerProgram(program, { emit });
    return lowered.ok ? shown(name, lowered.value, "cpp") : shown(name, lowered.error.message);
  };
  return [
    form(device === "cuda" ? "CUDA" : "C", device as "cuda"),
    form("Loop nest", "ir"),
    shown("Schedule", scheduleText(program.trace), "typescript"),
    shown("Program", JSON.stringify(JSON.parse(text), null, 1)),
  ];
}

function ofCode(program: CodeProgram): readonly Form[] {
  if (program.kind === "ptx") return [shown("PTX", program.text)];
  if (program.kind === "cubin") return [shown("Launch", JSON.stringify({ ...program, code: "..." }, null, 1))];
  return Object.entries(program.files).map(([name, text]) => shown(name, String(text), "cpp"));
}

const camelCase = (op: string): string => op.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A trace as the calls that record it: `const [l22, l23] = s.split(l18, [null, 16]);`. */
export function scheduleText(trace: readonly TraceStep[]): string {
  return trace
    .map(({ op, in: refs, args, out }) => {
      const list = refs.length > 1 && (op === "reorder" || op === "fuse") ? [`[${refs.join(", ")}]`] : refs;
      const call = `s.${camelCase(op)}(${[...list, ...Object.values(args).map((arg) => JSON.stringify(arg))].join(", ")});`;
      return out.length === 0 ? call : `const ${out.length === 1 ? out[0] : `[${out.join(", ")}]`} = ${call}`;
    })
    .join("\n");
}
