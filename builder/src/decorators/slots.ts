import PQueue from "p-queue";
import type { BuildExecutor, BuildOptions, BuildRequest, BuildResult } from "../build-executor.ts";

export function withSlots(inner: BuildExecutor, slots: number): BuildExecutor {
  const queue = new PQueue({ concurrency: slots });
  return {
    build: (request: BuildRequest, options: BuildOptions = {}): Promise<BuildResult> =>
      queue.add(() => inner.build(request, options), options.signal ? { signal: options.signal } : {}),
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  };
}
