import { CudaError } from "./cuda-error.ts";
import type { CudaDriver } from "./driver.ts";
import type { GraphExec, Stream } from "./driver-types.ts";

/** What `enqueue` launches, as a graph that is on the device. Throws CudaError. */
export function capturedGraph(driver: CudaDriver, stream: Stream, enqueue: () => void): GraphExec {
  driver.beginCapture(stream);
  let refused: unknown;
  try {
    enqueue();
  } catch (error) {
    refused = error;
  }
  let graph: bigint;
  try {
    graph = driver.endCapture(stream);
  } catch (error) {
    // A refused launch ends the capture with an error. The launch's own error says why.
    throw refused ?? error;
  }
  try {
    if (refused !== undefined) throw refused;
    const exec = driver.instantiate(graph);
    driver.uploadGraph(exec, stream);
    return exec;
  } finally {
    forget(driver, graph);
  }
}

function forget(driver: CudaDriver, graph: bigint): void {
  try {
    driver.destroyGraph(graph);
  } catch (error) {
    if (!(error instanceof CudaError)) throw error;
  }
}
