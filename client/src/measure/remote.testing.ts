/** The remote measurer over a real loopback connection, with its tracker and inputs. */
import {
  defaultMeasureOptions,
  digestOf,
  type MeasureInput,
  type ProgramBytes,
  Random,
  systemClock,
  toProgramDigest,
} from "@warpfarm/common";
import type { TrackerConnection } from "@warpfarm/proto";
import { expect } from "vitest";
import { FakeTracker, type FakeTrackerOptions } from "./fake-tracker.testing.ts";
import type { MeasureRecord } from "./measurer.ts";
import { type RemoteMeasurerOptions, remoteMeasurer } from "./remote.ts";
import { timedResult } from "./scripted.testing.ts";

export const programOf = (text: string): ProgramBytes => {
  const bytes = new TextEncoder().encode(text);
  return { digest: toProgramDigest(digestOf(bytes)), bytes };
};
export const reference = programOf("reference");
export const secondsOf = (text: string) => Number(text.split(" ")[1]);
export const signalOf = (): AbortSignal => new AbortController().signal;

const cleanups: (() => PromiseLike<unknown>)[] = [];
/** To be called after each test. */
export async function cleanUp(): Promise<void> {
  for (const f of cleanups.splice(0).reverse()) await f();
}

export async function start(options: Partial<FakeTrackerOptions> = {}, remote: Partial<RemoteMeasurerOptions> = {}) {
  const tracker = new FakeTracker({ execute: (text) => timedResult(secondsOf(text)), ...options });
  const connection: TrackerConnection = await tracker.start();
  cleanups.push(
    () => tracker[Symbol.asyncDispose](),
    () => connection[Symbol.asyncDispose](),
  );
  const lost: string[] = [];
  const { farm } = connection;
  const remoteOptions: RemoteMeasurerOptions = {
    farm,
    task: "toy",
    selector: "cpu",
    options: defaultMeasureOptions("cpu"),
    maxInFlight: 8,
    clock: systemClock,
    random: new Random(1),
    onLost: (error) => lost.push(error.code),
    ...remote,
  };
  return { tracker, farm, remote: remoteOptions, measurer: remoteMeasurer(remoteOptions), lost };
}

/** Inputs numbered from 100 in steps of 10: the caller's own numbers, unlike the wire's. */
export async function* inputs(count: number): AsyncGenerator<MeasureInput> {
  for (let i = 1; i <= count; i++) yield { sequence: 90 + 10 * i, program: programOf(`program ${i}`), reference };
}
export async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const got: T[] = [];
  for await (const value of source) got.push(value);
  return got;
}
export async function* only<T>(source: AsyncIterable<T>, isWanted: (value: T) => boolean): AsyncGenerator<T> {
  for await (const value of source) if (isWanted(value)) yield value;
}
/** Every input answered once, with its own result. */
export function expectEach(records: readonly MeasureRecord[], count: number): void {
  expect(records.map((r) => r.sequence).sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, i) => 100 + 10 * i));
  for (const { sequence, result } of records) expect(result).toEqual(timedResult((sequence - 90) / 10));
}
