/**
 * How many bytes a second this device reads from its L2 cache and from its memory: the runner registers both, and trackers
 * compare times with them (common/src/plausible-time.ts, docs/adr/0113-measured-rates.md). Reading is the faster direction, and
 * the fastest of many launches counts, so the rates bound what a kernel can reach.
 */
import { measuredRates } from "@warpfarm/common";
import type { DeviceDescription } from "../device-api.ts";
import { CudaError } from "./cuda-error.ts";
import type { CudaDriver } from "./driver.ts";
import type { CudaDeviceInfo, Stream } from "./driver-types.ts";
import type { HelperKernels } from "./helper-kernels.ts";

/** Bytes that one launch reads: long enough that its start is a small part. */
const sweptBytes = 2 ** 30;
const leastMemoryBytes = 2 ** 28;
/** The cache of some GPUs has two partitions, each with a copy of what its multiprocessors read. */
const partOfCache = 4;
/** Of the memory, so many times the L2 cache are read before anything is read again. */
const timesCache = 4;

/** Milliseconds of launches: at least, while clocks rise, and at most. */
const leastMs = 40;
const mostMs = 150;
/** A launch that is faster by this part shows that clocks still rise. */
const faster = 0.98;

/**
 * Limits to register; none where there is no memory for it, or where the timer sees nothing. What else fails is told by the
 * node's own kernels, which run next.
 */
export function measureRates(
  driver: CudaDriver,
  stream: Stream,
  helpers: Pick<HelperKernels, "sweep">,
  { attributes: { l2_cache_size: l2Bytes } }: CudaDeviceInfo,
): DeviceDescription["limits"] {
  if (!(l2Bytes > 0)) return {};
  const cachedBytes = 2 ** Math.floor(Math.log2(l2Bytes / partOfCache));
  const memoryBytes = Math.max(leastMemoryBytes, 2 ** Math.ceil(Math.log2(timesCache * l2Bytes)));
  const held: (() => void)[] = [];
  try {
    const address = driver.allocate(memoryBytes);
    held.push(() => driver.free(address));
    const [start, end] = [driver.createEvent(), driver.createEvent()];
    for (const event of [start, end]) held.push(() => driver.destroyEvent(event));
    const rateOf = (bytes: number): number => {
      const ms = fastest(() => {
        driver.recordEvent(start, stream);
        helpers.sweep({ address, bytes }, sweptBytes);
        driver.recordEvent(end, stream);
        driver.synchronize(stream);
        return driver.elapsedMs(start, end);
      });
      return Math.round((1e3 * sweptBytes) / ms);
    };
    const [l2, memory] = [rateOf(cachedBytes), rateOf(memoryBytes)];
    const isSeen = Number.isSafeInteger(l2) && Number.isSafeInteger(memory);
    return isSeen ? { [measuredRates.l2]: l2, [measuredRates.memory]: memory } : {};
  } catch (error) {
    if (error instanceof CudaError) return {};
    throw error;
  } finally {
    for (const release of held) released(release);
  }
}

/** What fails here is a fault of the context, which the next call on it tells. */
function released(release: () => void): void {
  try {
    release();
  } catch (error) {
    if (!(error instanceof CudaError)) throw error;
  }
}

/** Milliseconds of the fastest launch: launches go on while they get faster, within limits. */
export function fastest(launch: () => number): number {
  let [best, total, sinceFaster] = [Number.POSITIVE_INFINITY, 0, 0];
  while (total < mostMs && (total < leastMs || sinceFaster < leastMs / 2)) {
    const ms = launch();
    if (!(ms > 0)) return 0;
    total += ms;
    sinceFaster = ms < faster * best ? 0 : sinceFaster + ms;
    best = Math.min(best, ms);
  }
  return best;
}
