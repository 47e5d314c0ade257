/**
 * Times what is enqueued by two events, with stamps outside of them. Before the first event the stream is held for a moment:
 * otherwise the first launch's way from the host would be timed.
 */
import type { CudaDriver, CudaEvent, Stream } from "./cuda-driver.ts";
import type { HelperKernels } from "./helper-kernels.ts";

const holdNs = 30_000;

export class Span implements Disposable {
  readonly #driver: CudaDriver;
  readonly #stream: Stream;
  readonly #helpers: Pick<HelperKernels, "hold" | "stamp">;
  readonly #start: CudaEvent;
  readonly #end: CudaEvent;

  constructor(driver: CudaDriver, stream: Stream, helpers: Pick<HelperKernels, "hold" | "stamp">) {
    this.#driver = driver;
    this.#stream = stream;
    this.#helpers = helpers;
    this.#start = driver.createEvent();
    this.#end = driver.createEvent();
  }

  /** Milliseconds. `meanwhile` is called while the GPU works. Throws CudaError. */
  time(enqueue: () => void, meanwhile?: () => void): number {
    const driver = this.#driver;
    this.#helpers.hold(holdNs);
    this.#helpers.stamp("before");
    driver.recordEvent(this.#start, this.#stream);
    enqueue();
    driver.recordEvent(this.#end, this.#stream);
    this.#helpers.stamp("after");
    meanwhile?.();
    driver.synchronize(this.#stream);
    return driver.elapsedMs(this.#start, this.#end);
  }

  /** Must not be called after a sticky error: the process ends instead. */
  [Symbol.dispose](): void {
    this.#driver.destroyEvent(this.#start);
    this.#driver.destroyEvent(this.#end);
  }
}
