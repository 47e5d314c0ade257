import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { openCpu } from "./index.ts";

const isMapped = () => readFileSync("/proc/self/maps", "utf8").includes("libgomp");

test("the OpenMP runtime stays loaded whatever is collected: its threads sleep in it between kernels", async (context) => {
  if (process.platform !== "linux") return context.skip("needs /proc");
  openCpu({ threads: 1 });
  if (!isMapped()) return context.skip("libgomp is not installed");
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let i = 0; i < 10; i++) {
    collect();
    await sleep(5);
  }
  expect(isMapped()).toBe(true);
});
