/** The parameters in a kernel's text, compared with a spec's arguments. */
import type { CudaSourceArg, CudaSourceKernel, KernelArg } from "@warpfarm/compiler/language";
import { expect, it } from "vitest";
import { argumentFaults } from "./signature.ts";

const tensor = (name: string, more: Partial<CudaSourceArg> = {}): CudaSourceArg => ({
  name,
  dtype: "float32",
  shape: [4],
  role: "in",
  fill: "random",
  ...more,
});
const tensors = [
  tensor("c", { role: "out" }),
  tensor("a"),
  tensor("h", { dtype: "float16" }),
  tensor("i", { dtype: "int64" }),
  tensor("d", { dtype: "float64" }),
];
function faults(text: string, args: readonly KernelArg[], entry = "f"): readonly string[] {
  const kernel: CudaSourceKernel = { entry, grid: [1, 1, 1], block: [1, 1, 1], cluster: [1, 1, 1], shared_bytes: 0, args };
  return argumentFaults({ "k.cu": text }, kernel, tensors);
}
const n: KernelArg = { scalar: "int32", value: "7" };

it.each<[string, readonly KernelArg[], string?]>([
  ['extern "C" __global__ void __launch_bounds__(B * 2, 1) f(float *__restrict__ c, const float* a, int n) {', ["c", "a", n]],
  ["__global__ void f(float4 *c, float const *const a, unsigned n);", ["c", "a", n]],
  [
    "template <int N, typename T>\n__global__ void f(T *c, const __half2 *h, size_t n) {}",
    ["c", "h", { scalar: "int64", value: "7" }],
  ],
  ["__global__ void f(float *c, // the sum\n /* an int */ const uint4 *h, long long const *i)", ["c", "h", "i"]],
  ["__global__ void f(float c[], std::int32_t n = max(1, 2))", ["c", n]],
  ["__global__ void f()", []],
  ["__global__ void f(void)", []],
  ["__global__ void f(Parameters p, NAME *c)", [n, "c"]],
  ["__global__ void f(float *c, double *unused)", ["c", { scalar: "int64", value: "0" }]],
  ["#if A\n__global__ void f(float *c)\n#else\n__global__ void f(float *c, int n)\n#endif", ["c", n]],
  // A call, another kernel and a host function of the name do not declare it.
  ["__global__ void g(int n) { f(1, 2, 3); } void f(int n);", ["c", "a"]],
  ["__global__ void own::f(float *c)", ["c"], "own::f<1, float>"],
])("%s takes what it is given", (text, args, entry) => {
  expect(faults(text, args, entry)).toEqual([]);
});

it.each<[string, readonly KernelArg[], string]>([
  ["__global__ void f(float *c, int n)", ["c"], "f has 2 parameters (float *c, int n), and the spec gives it 1 (c)"],
  ["__global__ void f()", ["c", n], "f has 0 parameters (), and the spec gives it 2 (c, 7 (int32))"],
  ["__global__ void f(float n)", [n], "parameter 1 of f is float n, and the spec gives it the scalar 7 as int32"],
  ["__global__ void f(long n)", [n], "parameter 1 of f is long n, and the spec gives it the scalar 7 as int32"],
  ["__global__ void f(float *c)", [n], "parameter 1 of f is float *c, and the spec gives it the scalar 7 (int32)"],
  ["__global__ void f(int n)", ["a"], "parameter 1 of f is int n, and the spec gives it the tensor a, which is an address"],
  [
    "__global__ void f(const float *c)",
    ["c"],
    "parameter 1 of f is const float *c, and the spec says that the kernel writes c (role out)",
  ],
  ["__global__ void f(float *d)", ["d"], "parameter 1 of f is float *d, and the spec says that the elements of d are float64"],
  ["__global__ void f(half2 *a)", ["a"], "parameter 1 of f is half2 *a, and the spec says that the elements of a are float32"],
  ["__global__ void f(int *i)", ["i"], "parameter 1 of f is int *i, and the spec says that the elements of i are int64"],
  ["__global__ void f(float *i)", ["i"], "parameter 1 of f is float *i, and the spec says that the elements of i are int64"],
])("%s is told what it would misread", (text, args, fault) => {
  expect(faults(text, args)).toEqual([fault]);
});
