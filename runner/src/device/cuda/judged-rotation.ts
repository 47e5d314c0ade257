/**
 * Runs on one set of buffers after the other between two events, as CUDA graphs whose kernel nodes have the pointers of their
 * set.
 *
 * A sequence of which nobody may foresee the length has another length each time, and instantiating a graph takes the host 1 us a
 * node. So long sequences are one graph of about 48 runs, launched again and again, and one with what is left over. A multiple of
 * the number of sets is in the repeated one, so the order of the sets goes on. It is used again for all sequences of its module
 * that begin with the same set.
 *
 * A new graph runs once before it is timed where that is short, for the reason in timed-launches.ts.
 */
import { type Buffers, DeviceError, type Rotation, type RotationPlan, type Timed } from "../device-api.ts";
import { capturedGraph } from "./captured-graph.ts";
import type { CudaDriver } from "./driver.ts";
import type { GraphExec, PreparedLaunch, Stream } from "./driver-types.ts";
import type { HelperKernels } from "./helper-kernels.ts";
import { type AddressedBuffers, fillConstants, type LoadedModule, preparedRun } from "./prepared-run.ts";
import { Span } from "./span.ts";

type Helpers = Pick<HelperKernels, "hold" | "held" | "stamp" | "stamps">;

const blockRuns = 48;
/** Milliseconds up to which a new graph runs once untimed. */
const warmMs = 0.5;

/** The order of the graphs, by their runs: `repeats` times one of `block` runs, then one of `rest`; 0 = none. */
export function blocksOf(
  count: number,
  sets: number,
): { readonly block: number; readonly repeats: number; readonly rest: number } {
  const block = sets * Math.ceil(blockRuns / sets);
  const repeats = count > block ? Math.floor(count / block) : 0;
  return { block, repeats, rest: count - repeats * block };
}

/** Two clocks: the stamps are a few microseconds outside of the events, and the clock they read steps by up to one. */
const agree = (events: number, stamps: number): boolean => Math.abs(events - stamps) <= 0.1 + 0.1 * Math.max(events, stamps);

const disagreement = (events: number, stamps: number): string =>
  `the driver's events are ${events.toFixed(4)} ms apart, and by the device's own clock ${stamps.toFixed(4)} ms passed: work lies outside of one of them`;

/** Times a span. Throws CudaError, and DeviceError `clocks` where the stamps contradict the events. */
function timed(span: Span, helpers: Helpers, enqueue: () => void): Timed {
  const found = span.time(enqueue);
  const stamped = helpers.stamps()?.ms;
  if (stamped !== undefined && !agree(found.ms, stamped)) throw new DeviceError("clocks", disagreement(found.ms, stamped));
  return found;
}

/** Keeps the device busy for so many milliseconds, at most 4 s, and times it as a sequence of runs. Throws as `timed` does. */
export function timedIdle(driver: CudaDriver, stream: Stream, helpers: Helpers, ms: number): Timed {
  using span = new Span(driver, stream, helpers);
  return timed(span, helpers, () => helpers.hold(Math.round(Math.min(ms, 4_000) * 1e6)));
}

export class RotatedLaunches implements Disposable {
  readonly #driver: CudaDriver;
  readonly #stream: Stream;
  readonly #helpers: Helpers;
  readonly #module: LoadedModule;
  readonly #runs = new WeakMap<Buffers, readonly PreparedLaunch[]>();
  readonly #span: Span;
  /** By the first set. */
  readonly #blocks = new Map<number, GraphExec>();
  #runMs: number | undefined;

  constructor(driver: CudaDriver, stream: Stream, helpers: Helpers, module: LoadedModule) {
    this.#driver = driver;
    this.#stream = stream;
    this.#helpers = helpers;
    this.#module = module;
    this.#span = new Span(driver, stream, helpers);
  }

  /** Throws DeviceError, CudaError. The sequence must be disposed of. */
  ready({ sets, first, count }: RotationPlan, timer: "cuda_graph" | "events"): Rotation {
    const driver = this.#driver;
    // Inputs in constant memory are of the first set for all.
    const constants = (): void => fillConstants(driver, this.#stream, this.#module, sets[0] as AddressedBuffers);
    constants();
    const runs = sets.map((buffers) => this.#runOn(buffers));
    const timedRun = (enqueue: () => void) => (): Timed => {
      constants();
      return this.#timed(count, enqueue);
    };
    const launchAll = (from: number, number: number): void => {
      for (let i = 0; i < number; i++) for (const launch of runs[(from + i) % runs.length] ?? []) driver.launch(launch);
    };
    if (timer === "events") return { run: timedRun(() => launchAll(first, count)), [Symbol.dispose]() {} };
    const { block, repeats, rest } = blocksOf(count, runs.length);
    if (repeats > 0 && !this.#blocks.has(first))
      this.#blocks.set(
        first,
        this.#graph(block, () => launchAll(first, block)),
      );
    const repeated = this.#blocks.get(first);
    const last = rest > 0 ? this.#graph(rest, () => launchAll(first, rest)) : undefined;
    const enqueue = (): void => {
      if (repeated !== undefined) for (let i = 0; i < repeats; i++) driver.launchGraph(repeated, this.#stream);
      if (last !== undefined) driver.launchGraph(last, this.#stream);
    };
    return {
      run: timedRun(enqueue),
      [Symbol.dispose]: () => {
        if (last !== undefined) driver.destroyGraphExec(last);
      },
    };
  }

  /** Must not be called after a sticky error: the process ends instead. */
  [Symbol.dispose](): void {
    for (const exec of this.#blocks.values()) this.#driver.destroyGraphExec(exec);
    this.#blocks.clear();
    this.#span[Symbol.dispose]();
  }

  #runOn(buffers: Buffers): readonly PreparedLaunch[] {
    const known = this.#runs.get(buffers);
    if (known !== undefined) return known;
    const run = preparedRun(this.#driver, this.#stream, this.#module, buffers as AddressedBuffers);
    this.#runs.set(buffers, run);
    return run;
  }

  #timed(count: number, enqueue: () => void): Timed {
    const found = timed(this.#span, this.#helpers, enqueue);
    this.#runMs = found.ms / count;
    return found;
  }

  #graph(runs: number, enqueue: () => void): GraphExec {
    const exec = capturedGraph(this.#driver, this.#stream, enqueue);
    if (this.#runMs !== undefined && runs * this.#runMs <= warmMs) {
      this.#driver.launchGraph(exec, this.#stream);
      this.#driver.synchronize(this.#stream);
    }
    return exec;
  }
}
