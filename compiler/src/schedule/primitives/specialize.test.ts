/**
 * specialize: who fills a kernel's channels and who uses them are two programs, and the launch has a warpgroup more; what does
 * not fit is refused; and with each planted fault a kernel is refused by the rules, and by both interpreters where it would run
 * another way.
 */
import { parseTarget } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { type Product, scheduleOf } from "../../../../test-support/programs/warpgroups.ts";
import { interpretDirectly } from "../../interp/direct/index.ts";
import { InterpError } from "../../interp/error.ts";
import { interpretKernels } from "../../interp/interpret.ts";
import * as b from "../../ir/build.ts";
import type { Kernel } from "../../ir/prim-func.ts";
import { printStmt } from "../../ir/print.ts";
import type { Roles, Stmt } from "../../ir/stmt.ts";
import { mapStmt, walkStmt } from "../../ir/visit.ts";
import { gpuLimits } from "../../target/gpu-limits.ts";
import { emit, lowerVerified, verifyKernels } from "../../target/index.ts";
import { verifyLimits } from "../../verify/limits.ts";
import { infer } from "../infer.ts";
import { createSchedule, type Schedule } from "../schedule.ts";
import { inputsOf, nestOf, sampleGraph } from "./primitive.testing.ts";

const target = parseTarget("cuda/sm_90a");
const product: Product = {
  ...{ dtype: "float16", layout: "NT", size: [256, 32, 96], n: 32, groups: 2, chunk: 32, slots: 3, span: 64 },
  ...{ blocks: 1, roles: [24, 240] },
};

function lowered(p: Product): readonly Kernel[] {
  const made = lowerVerified(nestOf(scheduleOf(p)), target);
  if (!made.ok) throw new Error(made.error.map(({ message }) => message).join("\n"));
  return made.value;
}
const refusals = (sch: Schedule, of = target): readonly string[] => {
  const made = lowerVerified(nestOf(sch), of);
  return made.ok ? [] : made.error.map(({ rule, message }) => `${rule}: ${message}`);
};

it("parts who fills from who uses, each with the loops around", () => {
  const [kernel] = lowered(product) as [Kernel];
  expect(kernel.block).toEqual([128, 3, 1]);
  const text = printStmt(kernel.func.body);
  const [producer, consumers] = [text.slice(text.indexOf("producer"), text.indexOf("consumers")), text.split("consumers")[1]];
  expect(producer.match(/^ *(?:for|fill|await|release|[A-Z]_?\w* = box).*$/gm)?.map((line) => line.trim().split(" ")[0])).toEqual(
    ["for", "for", "fill"],
  );
  expect(consumers).not.toMatch(/fill |box/);
  expect(consumers).toMatch(/await[\s\S]*release/);
});

it("asks the kernel for the registers of its roles, or for roles alone", () => {
  const asked = (roles: NonNullable<Product["roles"]>) => {
    let found: unknown;
    walkStmt(nestOf(scheduleOf({ ...product, roles })).body, (s) => {
      if (s.kind === "KernelNest") found = s.attrs;
    });
    return found;
  };
  expect(asked([40, 232])).toEqual({ roles: { registers: [40, 232] } });
  expect(asked([0, 0])).toEqual({ roles: {} });
});

it("keeps the other requests of the kernel, which the roles stand inside", () => {
  const sch = scheduleOf(product);
  sch.minBlocks(sch.stage("C"), 1);
  const made = lowerVerified(nestOf(sch), target);
  expect(made).toMatchObject({ ok: true, value: [{ minBlocks: 1, block: [128, 3, 1] }] });
  const rolesAt = (s: Stmt): string => ("body" in s ? `${s.kind} ${rolesAt(s.body)}` : s.kind);
  expect(made.ok && rolesAt((made.value[0] as Kernel).func.body)).toMatch(/^(?:For )+(?:Allocate )+(?:AllocChannel )+Roles$/);
});

it("counts the producer among the threads of a block", () => {
  const inferred = infer(scheduleOf({ ...product, groups: 7, size: [448, 32, 32], roles: [0, 0] }).state);
  if (!inferred.ok) throw new Error(inferred.error.message);
  expect(inferred.value.launches[0]?.block).toEqual([128, 8, 1]);
  const wide = infer(scheduleOf({ ...product, groups: 8, size: [512, 32, 32], roles: [0, 0] }).state);
  if (!wide.ok) throw new Error(wide.error.message);
  expect(verifyLimits(wide.value, gpuLimits("cuda/sm_90a"))).toMatchObject([{ rule: "gpu.threads" }]);
});

describe("refuses", () => {
  it.each([
    [20, 240],
    [24, 248],
    [40, 231],
    [0, 240],
    [240, 24],
  ] as const)("%i and %i registers", (few, many) => {
    expect(() => scheduleOf({ ...product, roles: [few, many] })).toThrow(/specialize: \d+ and \d+ registers for "C"/);
  });
  it("a stage inside a nest", () => {
    const sch = scheduleOf(product);
    sch.specialize(sch.stage("sums"), 24, 240);
    expect(() => nestOf(sch)).toThrow(/computed inside another stage's nest/);
  });
  it("a kernel to which the copy engine brings nothing", () => {
    const sch = createSchedule(sampleGraph());
    sch.specialize(sch.stage(sch.graph.outputs[0]?.name ?? ""), 24, 240);
    expect(() => nestOf(sch)).toThrow(/the kernel of "c" has no copy for/);
  });
  it("registers that a block does not start with, also where the file has them, or that none gives away", () => {
    expect(refusals(scheduleOf({ ...product, roles: [48, 232] })).join()).toMatch(
      /device\.roles: .* are 65536; with 1 blocks per multiprocessor a block has 64512, 168 per thread/,
    );
    expect(refusals(scheduleOf({ ...product, roles: [24, 160] })).join()).toMatch(/device\.roles: .* starts with 168 registers/);
  });
  it("a chip without warpgroups", () => {
    expect(refusals(scheduleOf(product), parseTarget("cuda/sm_90")).join()).toContain("device.roles");
  });
});

type Change = (s: Roles) => Stmt;
const changed = (kernels: readonly Kernel[], change: (s: Stmt) => Stmt | undefined): readonly Kernel[] => {
  const run = (s: Stmt): Stmt => change(s) ?? mapStmt(s, run, (e) => e);
  return kernels.map((kernel) => ({ ...kernel, func: { ...kernel.func, body: run(kernel.func.body) } }));
};
const shorter = (s: Stmt): Stmt =>
  s.kind === "For" && s.body.kind !== "For" && s.extent === 3 ? { ...s, extent: 2 } : mapStmt(s, shorter, (e) => e);
/** Without the wait for the first turn. */
function withoutAwait(consumers: Stmt): Stmt {
  let isGone = false;
  const run = (s: Stmt): Stmt => {
    if (isGone || s.kind !== "Await") return mapStmt(s, run, (e) => e);
    isGone = true;
    return b.seq([]);
  };
  return run(consumers);
}

describe("planted", () => {
  // One tile, because the direct interpreter does 200,000 multiplications in a second.
  const single: Product = { ...product, size: [128, 32, 96], slots: 2 };
  const kernels = lowered(single);
  const inputs = inputsOf(scheduleOf(single).graph);
  const runs = [
    (bad: readonly Kernel[]) => interpretKernels(bad, inputs),
    (bad: readonly Kernel[]) =>
      interpretDirectly(
        bad.map(({ func }) => func),
        inputs,
      ),
  ];

  it.each<[what: string, change: Change, rule: string, run: RegExp | undefined]>([
    [
      "the producer's inner loop is one turn short",
      (s) => ({ ...s, producer: shorter(s.producer) }),
      "device.channel",
      /deadlock|channel/,
    ],
    [
      "the consumers wait for one turn less",
      (s) => ({ ...s, consumers: withoutAwait(s.consumers) }),
      "device.channel",
      /channel|uninitialised/,
    ],
    ["the producer does nothing", (s) => ({ ...s, producer: b.seq([]) }), "device.channel", /deadlock/],
    ["the consumers do nothing", (s) => ({ ...s, consumers: b.seq([]) }), "device.channel", /deadlock/],
    ["both fill", (s) => ({ ...s, consumers: b.seq([s.producer, s.consumers]) }), "device.roles", /deadlock|channel/],
    ["the roles are exchanged", (s) => ({ ...s, producer: s.consumers, consumers: s.producer }), "device.roles", undefined],
    ["a barrier in the producer", (s) => ({ ...s, producer: b.seq([b.barrier, s.producer]) }), "device.roles", undefined],
    ["something beside the roles", (s) => b.seq([b.barrier, s]), "device.roles", undefined],
  ])("%s", (_, change, rule, run) => {
    const bad = changed(kernels, (s) => (s.kind === "Roles" ? change(s) : undefined));
    expect(verifyKernels(bad, target).map((found) => found.rule)).toContain(rule);
    for (const one of run ? runs : [])
      try {
        one(bad);
        expect.unreachable("an interpreter accepts it");
      } catch (error) {
        if (!(error instanceof InterpError)) throw error;
        expect(error.rule).toMatch(run as RegExp);
      }
  });
});

describe("results stored by the engine, two tiles one after the other", () => {
  const stored: Product = { ...product, stored: true, size: [256, 32, 32] };
  const kernels = lowered(stored);
  const inputs = inputsOf(scheduleOf(stored).graph);
  const meetings = (s: Stmt): readonly Stmt[] => {
    const found: Stmt[] = [];
    walkStmt(s, (part) => {
      if (part.kind === "Barrier" || part.kind === "Fence") found.push(part);
    });
    return found;
  };
  const all = meetings((kernels[0] as Kernel).func.body);

  it("consumers meet before they write what the engine has read, and before it reads what they wrote", () => {
    expect(all.map(({ kind }) => kind)).toEqual(["Barrier", "Fence", "Barrier"]);
    const [kernel] = kernels as [Kernel];
    const { text } = emit(kernels, nestOf(scheduleOf(stored)).params, target, { graph: scheduleOf(stored).graph });
    expect(kernel.block).toEqual([128, 3, 1]);
    const order = text.slice(text.indexOf("__global__")).match(/\w+(?=\((?:A_shared|C_shared|\);))/g) ?? [];
    const own = order.filter((word) => /^(tma_store|fence|consumers|wgmma_wait_0)/.test(word));
    expect(own).toEqual([
      ...["wgmma_wait_0", "tma_store_read", "consumers_meet_256"],
      ...["fence_async", "tma_store_read", "consumers_meet_256", "tma_store_2d", "tma_store_commit", "tma_store_read"],
    ]);
  });
  it.each([0, 1, 2])("planted: %i of a barrier, a fence and a barrier is gone", (nth) => {
    let met = 0;
    // All barriers are one object: they are told apart by their order.
    const isMeeting = (s: Stmt) => s.kind === "Barrier" || s.kind === "Fence";
    const bad = changed(kernels, (s) => (isMeeting(s) && met++ === nth ? b.seq([]) : undefined));
    const rules = verifyKernels(bad, target).map(({ rule }) => rule);
    const run = () =>
      interpretDirectly(
        bad.map(({ func }) => func),
        inputs,
      );
    expect(run).toThrow(nth === 0 ? "[interp.race]" : "[interp.proxy]");
    if (nth > 0) expect(rules).toContain("device.copy-engine");
  });
});
