/**
 * Runs a module's kernels `number` times between two events, as a CUDA graph or one by one.
 *
 * Graph: one graph of at most `maxNodes` runs is captured, instantiated, sent to the device and launched as often as `number`
 * asks, then one with what is left over. A launch from the host costs about 4 us, more than a short kernel; within a graph it
 * costs the GPU 1 us at most. A graph need not be longer than a few milliseconds, for then the gap between two of them is lost in
 * it; so a graph of long kernels has few nodes, and costs little to capture.
 *
 * A new graph runs once before it is timed, unless that would take long: on an H100 a batch that ended with a graph never
 * launched before took 9 % longer in all its launches (2 us kernels, 15 launches of 1,000 nodes and a new one of 300), and once
 * launched did so no more.
 */
import { capturedGraph } from "./captured-graph.ts";
import type { CudaDriver } from "./driver.ts";
import type { GraphExec, PreparedLaunch, Stream } from "./driver-types.ts";
import type { HelperKernels } from "./helper-kernels.ts";
import { Span } from "./span.ts";

const maxNodes = 1000;
/** Milliseconds that a graph of short runs lasts. */
const graphMs = 5;

/** Requires number >= 1. `runMs`: the time of one run, as far as known; 0 when unknown. */
export function planGraphs(number: number, kernelsPerRun: number, runMs: number) {
  const byTime = runMs > 0 ? Math.ceil(graphMs / runMs) : maxNodes;
  const nodes = Math.max(1, Math.min(number, byTime, Math.floor(maxNodes / kernelsPerRun)));
  return { nodes, launches: Math.floor(number / nodes), rest: number % nodes };
}

export class TimedLaunches implements Disposable {
  readonly #driver: CudaDriver;
  readonly #stream: Stream;
  readonly #run: readonly PreparedLaunch[];
  readonly #span: Span;
  readonly #graphs = new Map<number, GraphExec>();
  #runMs = 0;
  #untimedRuns = 0;

  constructor(
    driver: CudaDriver,
    stream: Stream,
    helpers: Pick<HelperKernels, "held" | "stamp">,
    run: readonly PreparedLaunch[],
  ) {
    this.#driver = driver;
    this.#stream = stream;
    this.#run = run;
    this.#span = new Span(driver, stream, helpers);
  }

  /** Milliseconds of one run in the last batch, 0 before the first. */
  get runMs(): number {
    return this.#runMs;
  }

  /** Untimed runs of new graphs before the last batch. */
  get untimedRuns(): number {
    return this.#untimedRuns;
  }

  /** Milliseconds of `number` runs. `meanwhile` is called while the GPU works. Throws CudaError. */
  time(number: number, timer: "cuda_graph" | "events", meanwhile?: () => void): number {
    this.#untimedRuns = 0;
    const enqueue = timer === "cuda_graph" ? this.#graphLaunches(number) : () => this.#plainLaunches(number);
    const { ms } = this.#span.time(enqueue, meanwhile);
    this.#runMs = ms / number;
    return ms;
  }

  /** Must not be called after a sticky error: the process ends instead. */
  [Symbol.dispose](): void {
    for (const exec of this.#graphs.values()) this.#driver.destroyGraphExec(exec);
    this.#graphs.clear();
    this.#span[Symbol.dispose]();
  }

  #plainLaunches(number: number): void {
    for (let i = 0; i < number; i++) for (const launch of this.#run) this.#driver.launch(launch);
  }

  #graphLaunches(number: number): () => void {
    const { nodes, launches, rest } = planGraphs(number, this.#run.length, this.#runMs);
    for (const [size, exec] of this.#graphs) {
      if (size === nodes || size === rest) continue;
      this.#graphs.delete(size);
      this.#driver.destroyGraphExec(exec);
    }
    const main = this.#graph(nodes);
    const last = rest > 0 ? this.#graph(rest) : undefined;
    return () => {
      for (let i = 0; i < launches; i++) this.#driver.launchGraph(main, this.#stream);
      if (last !== undefined) this.#driver.launchGraph(last, this.#stream);
    };
  }

  #graph(runs: number): GraphExec {
    const known = this.#graphs.get(runs);
    if (known !== undefined) return known;
    const driver = this.#driver;
    const exec = capturedGraph(driver, this.#stream, () => this.#plainLaunches(runs));
    this.#graphs.set(runs, exec);
    if (this.#runMs > 0 && runs * this.#runMs <= 2 * graphMs) {
      driver.launchGraph(exec, this.#stream);
      driver.synchronize(this.#stream);
      this.#untimedRuns += runs;
    }
    return exec;
  }
}
