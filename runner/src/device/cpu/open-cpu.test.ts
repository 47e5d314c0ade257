import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { moduleBeside } from "@warpfarm/common/process";
import { expect, test } from "vitest";
import { needs } from "../../../../test-support/needs.ts";
import { CpuDevice } from "./cpu-device.ts";

test("flushing the caches writes all of the memory that it has for that", () => {
  const device = new CpuDevice();
  const before = process.memoryUsage.rss();
  device.flushCaches();
  // Pages that nobody has written take no memory.
  expect(process.memoryUsage.rss() - before).toBeGreaterThan(48 * 2 ** 20);
});

// When a garbage collection unloaded the runtime's library, OpenMP threads crashed during later candidates.
test("the OpenMP runtime stays loaded, whatever is collected", (ctx) => {
  needs(ctx, "cc"); // whatever brings a compiler brings its OpenMP runtime
  const script = `
    import { readFileSync } from "node:fs";
    const { openCpu } = await import(${JSON.stringify(moduleBeside(import.meta.url, "index"))});
    openCpu({ threads: 2, allowShared: false, yieldToOthers: false });
    for (let i = 0; i < 5; i++) { gc(); await new Promise((resolve) => setTimeout(resolve, 20)); }
    console.log(/\\/libgomp\\.so/.test(readFileSync("/proc/self/maps", "utf8")));`;
  const options = { cwd: fileURLToPath(new URL(".", import.meta.url)), encoding: "utf8" } as const;
  expect(execFileSync(process.execPath, ["--expose-gc", "--input-type=module", "-e", script], options)).toBe("true\n");
});
