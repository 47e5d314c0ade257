/**
 * Work of the runner's own on a stream of its own, of another size at each step, so that a candidate's blocks come in another
 * order.
 */

import { CudaError } from "./cuda-error.ts";
import type { CudaDriver } from "./driver.ts";
import type { DevicePointer, Stream } from "./driver-types.ts";
import { HelperKernels } from "./helper-kernels.ts";

const scratchElements = 1 << 22;
/** Sizes from a few blocks to the whole device, and how often. */
const sizes = [12, 15, 18, 20, 22] as const;
const mostFills = 7;

export class Beside {
  readonly #driver: CudaDriver;
  readonly #stream: Stream;
  readonly #helpers: HelperKernels;
  readonly #scratch: DevicePointer;

  constructor(driver: CudaDriver, multiprocessors: number) {
    this.#driver = driver;
    this.#stream = driver.createStream();
    this.#helpers = new HelperKernels(driver, this.#stream, multiprocessors);
    this.#scratch = driver.allocate(4 * scratchElements);
  }

  /** Begins the work, which ends by itself, and waits for its end when it is disposed of. */
  begin(step: number): Disposable {
    const count = 2 ** (sizes[step % sizes.length] as number);
    for (let fill = 0; fill < 1 + (step % mostFills); fill++) this.#helpers.fill("float32", this.#scratch, count, step, fill);
    return { [Symbol.dispose]: () => this.#end() };
  }

  /** What fails here is a fault of the context, which the next call on it tells. */
  #end(): void {
    try {
      this.#driver.synchronize(this.#stream);
    } catch (error) {
      if (!(error instanceof CudaError)) throw error;
    }
  }
}
