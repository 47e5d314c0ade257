/** Exports for processors: C text with a function that takes plain pointers. */
import { aboutLines, comment, parameterName, parametersOf, renamed, tensorsOf, workspacesOf } from "./layout.ts";
import type { ExportUnit, KernelText } from "./unit.ts";

/** The kernel's text under the prefix, then `int PREFIX_run(...)`. */
function cText(text: KernelText, prefix: string): string {
  const { offsets } = workspacesOf(text);
  const place = (buffer: string): string => {
    const offset = offsets.get(buffer);
    return offset === undefined ? `(void *)${parameterName(buffer)}` : `(char *)workspace + ${offset}`;
  };
  const aligned = tensorsOf(text).map(({ name, align }) => `(size_t)${parameterName(name)} % ${align}`);
  if (offsets.size > 0) aligned.push("!workspace", "(size_t)workspace % 64");
  const calls = text.kernels.map(
    ({ name, args }) => `  {
    void *const args[] = {${args.map((arg) => place(String(arg))).join(", ")}};
    ${name}(args);
  }
`,
  );
  return `${renamed(text, prefix)}${text.text}
#include <stddef.h>

int ${prefix}_run(${parametersOf(text)}, void *workspace) {
  (void)workspace;
  if (${aligned.join(" || ")}) return 1;
${calls.join("")}  return 0;
}
`;
}

export const cSource = (unit: ExportUnit): string => comment(aboutLines(unit)) + cText(unit.kernel, unit.name);
export const cReference = (unit: ExportUnit): string =>
  comment([`The reference that ${unit.name} is compared with: its computation as it is written down.`]) +
  cText(unit.reference, `${unit.name}_reference`);
