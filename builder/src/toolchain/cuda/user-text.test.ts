import { describe, expect, it } from "vitest";
import { checkText, cleanLog } from "./user-text.ts";

const own = new Set(["main.cu", "tile.cuh"]);
const check = (text: string) => checkText("main.cu", text, own);

describe("text that is taken", () => {
  it.each([
    ["no include", "__global__ void k() {}"],
    ["own file", '#include "tile.cuh"'],
    ["toolkit", "#include <cuda_fp16.h>\n# include <cooperative_groups/reduce.h>\n#include <cuda/std/array>"],
    ["a comment between", "#/* why */include/* which */<mma.h>"],
    ["other directives", "#define X 1\n#if X\n#pragma unroll\n#endif\n#error no"],
    ["the word elsewhere", "int include = 3; // we include /etc/passwd"],
  ])("%s", (_, text) => {
    expect(check(text)).toEqual({ ok: true, value: undefined });
  });
});

describe("text that is refused", () => {
  it.each([
    ["an absolute path", '#include "/etc/passwd"'],
    ["an absolute path in angles", "#include </etc/passwd>"],
    ["a way up", '#include "../../etc/passwd"'],
    ["a way up inside", "#include <crt/../../../../etc/passwd>"],
    ["a spliced word", '#inc\\\nlude "/etc/passwd"'],
    ["a spliced word with blanks behind the backslash", '#inc\\  \nlude "/etc/passwd"'],
    ["a spliced path", '#include "/e\\\ntc/passwd"'],
    ["comments between", '#/**/ /*x*/include/**/"/etc/passwd"'],
    ["a comment that looks closed", '#/*/ */include "/etc/passwd"'],
    ["the digraph", '%:include "/etc/passwd"'],
    ["the trigraph", '??=include "/etc/passwd"'],
    ["the trigraph of a backslash", '#inc??/\nlude "/etc/passwd"'],
    ["a macro", '#define X "/etc/passwd"\n#include X'],
    ["an escape", '#include "\\x2fetc/passwd"'],
    ["include_next", '#include_next "/etc/passwd"'],
    ["embed", '#embed "/etc/passwd"'],
    ["import", '#import "/etc/passwd"'],
    ["a question about files", '#if __has_include("/etc/shadow")'],
    ["another name for a file", '#pragma include_alias("a.h", "/etc/passwd")'],
    ["inside a raw string that hides a comment", 'const char *s = R"(/*)";\n#include "/etc/passwd"\n// */'],
  ])("%s", (_, text) => {
    const result = check(text);
    expect(result).toMatchObject({ ok: false, error: { rule: "source.include" } });
  });
  it("says which file and what is allowed", () => {
    expect(check('#include "/etc/passwd"')).toMatchObject({
      error: {
        message:
          'main.cu: #include "/etc/passwd": only files of the program (main.cu, tile.cuh) and headers of the CUDA toolkit; this builder has no sandbox [source.include]',
      },
    });
  });
});

describe("logs", () => {
  const folders = { "/tmp/job": "", "/usr/local/cuda-13.0/bin/../targets/x86_64-linux/include": "<cuda>/" };
  it("keep their words and lose their paths", () => {
    const log =
      "/tmp/job/main.cu(3): error: x\n/usr/local/cuda-13.0/bin/../targets/x86_64-linux/include/cuda_fp16.h(7): error: y\n  a = b /c/d;";
    expect(cleanLog(log, folders, true)).toBe("main.cu(3): error: x\n<cuda>/cuda_fp16.h(7): error: y\n  a = b /c/d;");
  });
  it.each([
    "/etc/passwd(1): error: root:x:0:0",
    "In file included from /etc/passwd:1:\nroot",
    'main.cu(1): error in "/etc/shadow(2)"',
  ])("that speak of another file are withheld: %s", (log) => {
    expect(cleanLog(log, folders, true)).not.toMatch(/root|passwd|shadow/);
  });
  it("are cut at 64 KiB", () => {
    const cut = cleanLog("x".repeat(100_000), {}, false);
    expect(cut.length).toBeLessThanOrEqual(64 * 1024);
    expect(cut).toContain("100000 characters");
  });
});
