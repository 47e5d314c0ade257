/**
 * Times what is enqueued by two events, with stamps outside of them. The stream is held until all of it is enqueued: otherwise
 * the way from the host would be timed, or would lie between a stamp and its event.
 */
import type { Timed } from "../device-api.ts";
import type { CudaDriver } from "./driver.ts";
import type { CudaEvent, Stream } from "./driver-types.ts";
import { type HelperKernels, mostHeldMs } from "./helper-kernels.ts";

export class Span implements Disposable {
  readonly #driver: CudaDriver;
  readonly #stream: Stream;
  readonly #helpers: Pick<HelperKernels, "held" | "stamp">;
  readonly #start: CudaEvent;
  readonly #end: CudaEvent;

  constructor(driver: CudaDriver, stream: Stream, helpers: Pick<HelperKernels, "held" | "stamp">) {
    this.#driver = driver;
    this.#stream = stream;
    this.#helpers = helpers;
    this.#start = driver.createEvent();
    this.#end = driver.createEvent();
  }

  /** `meanwhile` is called while the GPU works. Throws CudaError. */
  time(enqueue: () => void, meanwhile?: () => void): Timed {
    const driver = this.#driver;
    const heldUntil = driver.now() + mostHeldMs;
    const release = this.#helpers.held();
    try {
      this.#helpers.stamp("before");
      driver.recordEvent(this.#start, this.#stream);
      enqueue();
      driver.recordEvent(this.#end, this.#stream);
      this.#helpers.stamp("after");
    } finally {
      release();
    }
    const begun = Math.min(driver.now(), heldUntil);
    meanwhile?.();
    driver.synchronize(this.#stream);
    const hostMs = driver.now() - begun;
    return { ms: driver.elapsedMs(this.#start, this.#end), hostMs };
  }

  /** Must not be called after a sticky error: the process ends instead. */
  [Symbol.dispose](): void {
    this.#driver.destroyEvent(this.#start);
    this.#driver.destroyEvent(this.#end);
  }
}
