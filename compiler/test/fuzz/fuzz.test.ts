/**
 * Random schedules against the definition of their graphs. Every accepted trace is sent through its document and replayed; every
 * second one is lowered through the whole pipeline of its target and interpreted as device code, the others as scheduled. A
 * failure prints the seed and a shrunk trace.
 */
import { formatTarget, parseTarget, Random } from "@warpfarm/common";
import { expect, it } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { lowerWatched } from "../../../test-support/programs/every-pass.ts";
import { type Flavour, hasRest, Walk } from "../../../test-support/programs/generate.ts";
import { graphs } from "../../../test-support/programs/graphs.ts";
import { laterMoves } from "../../../test-support/programs/moves.ts";
import { tiledGraph, tiledProduct, tileIntrinsics } from "../../../test-support/programs/tiles.ts";
import { findRaces } from "../../src/interp/direct/index.ts";
import { interpret, interpretKernels } from "../../src/interp/interpret.ts";
import { infer } from "../../src/schedule/infer.ts";
import * as primitives from "../../src/schedule/primitives/index.ts";
import { replay } from "../../src/schedule/schedule.ts";
import { snakeCase } from "../../src/schedule/trace.ts";
import { decodeProgram, encodeProgram, type TraceStep } from "../../src/serial/program.ts";
import { verifyKernels } from "../../src/target/index.ts";
import { difference, type Subject, subjectOf } from "../subject.ts";
import { columnsOfRows, rowsGraph, sharedRows } from "./rows.ts";
import { shrink } from "./shrink.ts";

const traces = isFull ? 2000 : 200;
const leastSteps = 6;
const targets = { cuda: parseTarget("cuda/sm_90"), cpu: parseTarget("cpu/x86-64-v3") } as const;

/** One trace in this number multiplies tiles by intrinsics. */
const tiledEvery = 30;
/** And one shares reductions out over threads. */
const rowsEvery = 20;
const rows = (["rows", "columns"] as const).flatMap((along) =>
  columnsOfRows.map((columns) => ({ name: `${along} of ${columns}`, ...subjectOf(rowsGraph(columns, along)) })),
);
const tiled = { name: "tiles", ...subjectOf(tiledGraph()) };
const subjects = Object.entries(graphs).map(([name, make]) => ({ name, ...subjectOf(make()) }));

/** Those that its steps name, in the order of first use, as a program carries them. */
const intrinsicsOf = (trace: readonly TraceStep[]) => {
  const names = new Set(trace.map(({ args }) => args.intrinsic));
  return [...names].flatMap((name) => tileIntrinsics.filter((known) => known.name === name));
};

type Verdict = { readonly kind: "agrees" | "not lowered" } | { readonly kind: "fails"; readonly why: string };

/**
 * Runs a trace as scheduled, or lowered for a target, the dialect's rules watched after every pass. What throws anywhere after
 * inference is a failure too.
 */
function judge(subject: Subject, trace: readonly TraceStep[], lowered: Flavour | undefined): Verdict {
  try {
    const read = decodeProgram(
      encodeProgram(subject.graph, trace, formatTarget(targets[lowered ?? "cpu"]), intrinsicsOf(trace)).bytes,
    );
    if (!read.ok || read.value.kind !== "schedule")
      return { kind: "fails", why: `its document is refused: ${read.ok ? "kind" : read.error.message}` };
    const again = replay(read.value.graph, read.value.trace, read.value.intrinsics);
    if (!again.ok) return { kind: "fails", why: `its replay is refused: ${again.error.message}` };
    const inferred = infer(again.value.state);
    if (!inferred.ok) return { kind: "fails", why: `inference refuses its replay: ${inferred.error.message}` };
    const func = inferred.value.func();
    let why: string | undefined;
    if (lowered) {
      const kernels = lowerWatched(func, targets[lowered]);
      if (verifyKernels(kernels, targets[lowered]).length > 0) return { kind: "not lowered" };
      const ran = interpretKernels(kernels, subject.inputs);
      why = difference(subject, ran);
      findRaces(
        kernels.map((kernel) => kernel.func),
        ran.data,
      );
    } else why = difference(subject, interpret([func], subject.inputs));
    return why === undefined ? { kind: "agrees" } : { kind: "fails", why };
  } catch (error) {
    return { kind: "fails", why: error instanceof Error ? `${error.message}\n${error.stack}` : String(error) };
  }
}

function report(
  seed: number,
  name: string,
  subject: Subject,
  trace: readonly TraceStep[],
  lowered: Flavour | undefined,
  why: string,
): string {
  // A shorter trace that is refused would not have been found.
  const fails = (t: readonly TraceStep[]): boolean => {
    const verdict = judge(subject, t, lowered);
    return verdict.kind === "fails" && !verdict.why.includes(" refuse");
  };
  const small = shrink(subject.graph, trace, fails, tileIntrinsics);
  const verdict = judge(subject, small, lowered);
  return [
    `seed ${seed}, graph ${name}, ${lowered ?? "scheduled"}: ${verdict.kind === "fails" ? verdict.why : why}`,
    ...small.map((step) => JSON.stringify(step)),
  ].join("\n");
}

it(`${traces} random schedules agree with the definition of their graphs`, () => {
  const accepted = new Map<string, number>(Object.keys(primitives).map((name) => [snakeCase(name), 0]));
  const refused = new Map<string, number>();
  const failures: string[] = [];
  const counts = {
    traces: 0,
    steps: 0,
    rest: 0,
    lowered: 0,
    loweredCuda: 0,
    loweredCpu: 0,
    notLowered: 0,
    notFound: 0,
    tiled: 0,
    rows: 0,
  };
  for (let seed = 1; counts.traces < traces && failures.length < 5; seed++) {
    const random = new Random(seed);
    const isTiled = seed % tiledEvery === 0;
    const isRows = !isTiled && seed % rowsEvery === 0;
    const subject = isTiled
      ? tiled
      : isRows
        ? random.pick(rows)
        : (subjects[seed % subjects.length] as (typeof subjects)[number]);
    const flavour: Flavour = isTiled || isRows || random.below(5) < 3 ? "cuda" : "cpu";
    const schedule = isTiled
      ? tiledProduct(subject.graph, random)
      : isRows
        ? sharedRows(subject.graph, random)
        : new Walk(subject.graph, random, flavour, refused, laterMoves).run(leastSteps + random.below(7));
    if (!schedule) {
      counts.notFound++;
      continue;
    }
    // A trace the target cannot carry is run as scheduled; the next one makes up for it.
    let lowered = isTiled || isRows || counts.lowered * 2 <= counts.traces ? flavour : undefined;
    let verdict = judge(subject, schedule.trace, lowered);
    if (verdict.kind === "not lowered") {
      counts.notLowered++;
      lowered = undefined;
      verdict = judge(subject, schedule.trace, lowered);
    }
    if (verdict.kind === "fails") failures.push(report(seed, subject.name, subject, schedule.trace, lowered, verdict.why));
    counts.traces++;
    counts.steps += schedule.trace.length;
    if (hasRest(schedule.state)) counts.rest++;
    if (lowered) {
      counts.lowered++;
      if (isTiled) counts.tiled++;
      if (isRows) counts.rows++;
      counts[lowered === "cuda" ? "loweredCuda" : "loweredCpu"]++;
    }
    for (const { op } of schedule.trace) accepted.set(op, (accepted.get(op) ?? 0) + 1);
  }
  const list = (map: ReadonlyMap<string, number>): string =>
    [...map]
      .sort((a, b) => b[1] - a[1])
      .map(([name, n]) => `${name} ${n}`)
      .join(", ");
  console.log(`fuzz: ${JSON.stringify(counts)}\nfuzz accepted: ${list(accepted)}\nfuzz refused: ${list(refused)}`);
  expect(failures.join("\n\n")).toBe("");
  expect(counts.lowered).toBeGreaterThanOrEqual(traces / 2);
  expect(counts.rest).toBeGreaterThanOrEqual(traces / 3);
  expect(Math.min(counts.loweredCuda, counts.loweredCpu)).toBeGreaterThanOrEqual(traces / 8);
  expect(counts.tiled).toBeGreaterThanOrEqual(traces / 50);
  expect(counts.rows).toBeGreaterThanOrEqual(traces / 66);
  // Where something comes by a channel: channels.test.ts.
  for (const name of ["specialize", "join_ring"]) accepted.delete(name);
  expect([...accepted].filter(([, n]) => n < traces / 16)).toEqual([]);
});
