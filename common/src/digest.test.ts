import { expect, it } from "vitest";
import { canonicalJson, type Json } from "./canonical.ts";
import { computationDigest } from "./digest.ts";

const of = (document: Json, args: readonly Json[]) => computationDigest(new TextEncoder().encode(canonicalJson(document)), args);

it("a computation is its graph and arguments, whatever schedules it and for whatever target", () => {
  const document = { graph: { ops: [1] }, kind: "schedule", target: "cpu/x86-64-v3", trace: [] };
  const own = of(document, [8, "NN"]);
  expect(of({ ...document, target: "cuda/sm_90", trace: [1] }, [8, "NN"])).toBe(own);
  const others = [of({ ...document, graph: { ops: [2] } }, [8, "NN"]), of(document, [8, "NT"]), of(document, ["NN", 8])];
  expect(new Set([own, ...others]).size).toBe(4);
});

it("where there is no graph, all of the reference's document says what is computed", () => {
  const kernel = { kind: "cuda_source", source: "a", target: "cuda/sm_90" };
  expect(of({ ...kernel, source: "b" }, [])).not.toBe(of(kernel, []));
  expect(of(kernel, [])).not.toBe(of({ graph: kernel, kind: "schedule" }, [1]));
});
