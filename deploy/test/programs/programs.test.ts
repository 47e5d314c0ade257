/**
 * Programs of every kind through a farm with the product's own builder and runner of this CPU, where each must be timed and
 * right. Programs for a GPU are built with nvcc and uploaded; a scripted runner replaces the device, unless there is a GPU. A new
 * kind of the compiler that no program uses fails here by its name. The full campaign adds 200 random schedules for each kind of
 * device, and 300 random computations with schedules that are derived for them.
 */
import { mkdirSync } from "node:fs";
import { dtypes, type MeasureResult } from "@warpfarm/common";
import { type MmaType, mmaSync } from "@warpfarm/compiler";
import { templates } from "@warpfarm/templates";
import type { Tracker } from "@warpfarm/tracker";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { wmma, wmmaShapes } from "../../../compiler/src/intrinsic/cuda/wmma.ts";
import * as primitives from "../../../compiler/src/schedule/primitives/index.ts";
import { snakeCase } from "../../../compiler/src/schedule/trace.ts";
import { isFull } from "../../../test-support/campaign.ts";
import { freshStore, type ScriptedWorker, runner as scriptedRunner, testTracker } from "../../../test-support/farm/scripted.ts";
import { ScriptedClient } from "../../../test-support/farm/scripted-client.ts";
import { has, needs } from "../../../test-support/needs.ts";
import { until } from "../../../test-support/until.ts";
import { Party } from "../survival/party.ts";
import { bin, Place } from "../warpfarm-process.ts";
import {
  type Backend,
  covered,
  derivedRows,
  dtypeRow,
  kindOf,
  layerRow,
  lean,
  type Row,
  randomRows,
  targetOf,
  templateRows,
  wordsOf,
} from "./rows.ts";

const randomCount = 200;
const derivedCount = 300;
/** Random schedules that are searched at most for those that use something new. */
const lookedAt = 300;
const needed = { cpu: ["cc"], cuda: ["cc", "nvcc"] } as const;
/** For results that never come. */
const inVainMs = isFull ? 1_800_000 : 300_000;
const slow = { timeout: isFull ? 3_600_000 : 900_000 };

/** Kinds that the backend does not have: a GPU's threads, swizzles, tensor cores and roles; loops over a CPU's cores. */
const notOn: Record<Backend, readonly string[]> = {
  cpu: ["bind", "swizzle", "tensorize", "specialize", "joinRing"],
  cuda: ["parallel"],
};
const mmaTypes: Record<MmaType, true> = { float16: true, bfloat16: true };

/** Every kind of intrinsic that the compiler brings. */
function intrinsicKinds(): ReadonlySet<string> {
  const ofWmma = dtypes.flatMap((dtype) =>
    wmmaShapes(dtype).flatMap((shape) => {
      const made = wmma(dtype, shape, 90);
      const [[a, b] = ["row", "col"] as const] = made?.majors ?? [];
      return made ? [made.load("a", a), made.load("b", b), made.mma(a, b), made.store("row")] : [];
    }),
  );
  const ofMma = (Object.keys(mmaTypes) as MmaType[]).flatMap((type) => {
    const { loadA, loadB, mma } = mmaSync(type);
    return [loadA.row, loadB.row, mma];
  });
  return new Set([...ofWmma, ...ofMma].map(({ name }) => kindOf(name)));
}

const addressOf = ({ grpcPort }: Tracker): string => `127.0.0.1:${grpcPort}`;

const place = new Place();
const parts: Party[] = [];
let scripted: ScriptedWorker | undefined;
let tracker: Tracker | undefined;

beforeAll(async () => {
  if (!has("cc")) return;
  mkdirSync(place.path("run"));
  const env = { ...place.env, XDG_RUNTIME_DIR: place.path("run") };
  const part = (role: string, ...flags: readonly string[]): Party => {
    const made = new Party(process.execPath, [bin(), role, ...flags], new RegExp(`^${role} ready `), env);
    parts.push(made);
    return made;
  };
  tracker = await testTracker(await freshStore());
  const address = addressOf(tracker);
  part("builder", "--tracker", address, "--cache", place.path("builds"), "--slots", has("gpu") ? "8" : "2");
  part("runner", "--tracker", address, "--device", "cpu", "--threads", "1");
  if (has("gpu")) part("runner", "--tracker", address, "--device", "cuda:0");
  else scripted = scriptedRunner(address, 1, undefined, { key: targetOf.cuda }).start();
  await Promise.all(parts.map(({ ready }) => ready));
  await until(() => scripted === undefined || scripted.registered !== undefined, "the scripted runner");
}, 300_000);
afterAll(async () => {
  await scripted?.kill();
  for (const part of parts) part.kill("SIGKILL");
  await Promise.all(parts.map(({ ended }) => ended));
  await tracker?.[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

/** Results of the rows that are not timed or not right, by name. */
async function failures(backend: Backend, rows: readonly Row[]): Promise<readonly string[]> {
  if (!tracker) throw new Error("no tracker");
  const client = new ScriptedClient(addressOf(tracker));
  try {
    const timer = backend === "cpu" ? "wall" : "cuda_graph";
    const options = {
      check: "reference",
      repeat: 1,
      minRepeatMs: 1,
      buildTimeoutMs: 300_000,
      runTimeoutMs: 60_000,
      timer,
      power: "as_asked",
    } as const;
    await client.open(options, { selector: backend, maxInFlight: 8 });
    client.stream();
    for (const [i, { program, reference }] of rows.entries()) {
      await until(() => i - client.results.size < 8 || client.error !== undefined, "a place", inVainMs);
      // A scripted device compares nothing, so nvcc need not compile what it would compare with.
      client.send(i + 1, program, backend === "cuda" && scripted !== undefined ? program : reference);
    }
    await until(() => client.results.size === rows.length || client.error !== undefined, "all results", inVainMs);
    if (client.error) return [`${client.error.code}: ${client.error.message}`];
    return rows.flatMap(({ name }, i) => faultsOf(name, client.results.get(i + 1)));
  } finally {
    await client.finish().catch(() => {});
    await client.close();
  }
}
function faultsOf(name: string, result: MeasureResult | undefined): readonly string[] {
  if (result?.kind === "timed") return result.checked ? [] : [`${name}: not checked`];
  if (result?.kind === "slower") return [`${name}: ended early`];
  return [`${name}: ${result?.errorNo} ${result?.rule ?? ""} ${result?.message}`];
}

describe.each(["cpu", "cuda"] as const)("on %s", (backend) => {
  test("every primitive, kind of intrinsic, element type and template", slow, async (ctx) => {
    needs(ctx, ...needed[backend]);
    const templated = [...templateRows(backend)];
    const named = templates.filter(({ targets }) => targets.some(({ kind }) => kind === backend)).map(({ name }) => name);
    expect(templated.map(({ template }) => template)).toEqual(named);
    const wanted = Object.keys(primitives)
      .filter((name) => !notOn[backend].includes(name))
      .map(snakeCase);
    if (backend === "cuda") wanted.push(...intrinsicKinds());
    const copies = dtypeRow(backend);
    expect([...copies.dtypes].sort()).toEqual([...dtypes].sort());
    const layers = backend === "cuda" ? [layerRow()] : [];
    const rows = covered([copies, ...layers, ...templated], randomRows(backend, 1), lookedAt, wanted);
    const used = new Set(rows.flatMap(wordsOf));
    expect(
      wanted.filter((word) => !used.has(word)),
      "in no program of rows.ts",
    ).toEqual([]);
    // In npm test a farm builds those that together use everything. nvcc takes a second for each, and the tests of templates and
    // intrinsics have it compile them, so of those for a GPU only templates.
    const few = backend === "cpu" ? lean(rows) : lean([copies, ...templated]);
    expect(await failures(backend, isFull ? rows : few)).toEqual([]);
  });

  test(`${derivedCount} random computations with schedules that are derived`, slow, async (ctx) => {
    if (!isFull) ctx.skip("part of the campaign: WARPFARM_CAMPAIGN=full");
    needs(ctx, ...needed[backend]);
    const derived = derivedRows(backend, 1_000_000);
    const rows = Array.from({ length: derivedCount }, () => derived.next().value as Row);
    expect(await failures(backend, rows)).toEqual([]);
  });

  test(`${randomCount} random schedules`, slow, async (ctx) => {
    if (!isFull) ctx.skip("part of the campaign: WARPFARM_CAMPAIGN=full");
    needs(ctx, ...needed[backend]);
    const random = randomRows(backend, 1_000_000);
    const rows = Array.from({ length: randomCount }, () => random.next().value as Row);
    expect(await failures(backend, rows)).toEqual([]);
  });
});
