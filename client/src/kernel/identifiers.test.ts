/** Tunables that the text declares itself, and those that it only uses. */
import { expect, it } from "vitest";
import { identifierFault } from "./identifiers.ts";

it.each([
  ["void f(float *c, int BLOCK) {}", "k.cu:1 declares it (int BLOCK)"],
  ["// one\n/* two\n */ void f(float* __restrict__ BLOCK, int n) {}", "k.cu:3 declares it (float* __restrict__ BLOCK)"],
  ["static constexpr int BLOCK = 128;", "k.cu:1 declares it (int BLOCK)"],
  ["template <int BLOCK> __global__ void f() {}", "k.cu:1 declares it (int BLOCK)"],
  ["template <typename BLOCK, int N> void f() {}", "k.cu:1 declares it (typename BLOCK)"],
  ["unsigned long long BLOCK;", "k.cu:1 declares it (long BLOCK)"],
  ["__shared__ float4 BLOCK[32];", "k.cu:1 declares it (float4 BLOCK)"],
  ["struct BLOCK { int x; };", "k.cu:1 declares it (struct BLOCK)"],
  ["void BLOCK(int x) {}", "k.cu:1 declares it (void BLOCK)"],
  ["for (int BLOCK = 0; BLOCK < 3; BLOCK++) {}", "k.cu:1 declares it (int BLOCK)"],
])("%j", (text, why) => expect(identifierFault({ "k.cu": text }, "BLOCK")).toBe(why));

it.each([
  "int x = BLOCK;",
  "__shared__ float tile[BLOCK];",
  "return BLOCK;",
  "__global__ void __launch_bounds__(BLOCK) f() {}",
  "// int BLOCK;\n/* float BLOCK = 1; */",
  'const char* s = "int BLOCK;";',
  "#ifndef BLOCK\nconstexpr int BLOCK = 128;\n#endif",
  "#if !defined(BLOCK)\nint BLOCK;\n#endif",
  "#define T int BLOCK\n",
  "int BLOCKS = 1, MY_BLOCK = 2;",
  "f<int, BLOCK>(a * BLOCK);",
  "float BLOCKED; x = (int)BLOCK;",
])("%j only uses it", (text) => expect(identifierFault({ "k.cu": text }, "BLOCK")).toBeUndefined());

it("words of the language and headers count", () => {
  expect(identifierFault({ "k.cu": "" }, "threadIdx")).toBe("threadIdx is a word of C++ or CUDA");
  expect(identifierFault({ "k.cu": '#include "a.cuh"', "a.cuh": "\nint N;" }, "N")).toBe("a.cuh:2 declares it (int N)");
});
