/**
 * Vectors of configs: what they hold, that threads make the same ones, and that xgb's proposals do not depend on who made them.
 */
import { existsSync } from "node:fs";
import { type ConfigIndex, choiceFeatures, infer, itervarFeatures } from "@warpfarm/compiler";
import { createTask } from "@warpfarm/templates";
import { afterAll, describe, expect, it } from "vitest";
import { measured } from "../contract.testing.ts";
import { xgbTuner } from "../xgb/xgb.ts";
import { FeaturePool } from "./feature-pool.ts";
import { cachedFeatures, extractFeatures } from "./features.ts";

const args = { M: 64, N: 64, K: 32 };
const target = "cpu/x86-64-v3";
const task = createTask("matmul_derived", args, target);
const configs = [0, 7, 20, 33, 51].map((i) => task.space.toIndex(i));
const spec = { word: "matmul_derived", args: task.args, target };

describe("vectors of configs", () => {
  it("are the nest's with the choices behind it, zeros where a config does not instantiate", () => {
    const [first] = configs as [ConfigIndex];
    const made = task.instantiate(first);
    const inferred = made.ok ? infer(made.value.schedule.state) : undefined;
    if (!inferred?.ok) throw new Error("the config has a schedule");
    const choices = [...choiceFeatures(task.space, first)];
    expect([...extractFeatures(task, first)]).toEqual([...itervarFeatures(inferred.value), ...choices]);
    const broken = { space: task.space, schedule: () => ({ ok: false, error: { rule: "r", message: "m" } }) as const };
    const matrix = cachedFeatures(broken).of(configs, 3);
    expect([...matrix.values]).toEqual(new Array(3 * configs.length).fill(0));
  });

  it("are made once each, within the bytes allowed: what was used longest ago goes", () => {
    const bytes = extractFeatures(task, configs[0] as ConfigIndex).byteLength;
    let scheduled: number[] = [];
    const counting = {
      space: task.space,
      schedule: (index: ConfigIndex) => {
        scheduled.push(index);
        return task.schedule(index);
      },
    };
    const features = cachedFeatures(counting, { mostBytes: 3 * bytes });
    const [a, b, c, d] = configs as [ConfigIndex, ConfigIndex, ConfigIndex, ConfigIndex];
    features.of([a, b, c]);
    features.of([a]);
    expect(scheduled).toEqual([a, b, c]);
    scheduled = [];
    features.of([d]);
    features.of([c, a, d]);
    expect(scheduled).toEqual([d]);
    features.of([b]);
    expect(scheduled).toEqual([d, b]);
    // Used again and again, a vector takes its bytes once: three still fit.
    for (let i = 0; i < 3; i++) features.of([b, a, d]);
    expect(scheduled).toEqual([d, b]);
  });

  it("that threads cannot make are made when asked for", async () => {
    const features = cachedFeatures(task, { elsewhere: () => Promise.reject(new Error("no threads")) });
    await features.warm(configs);
    expect(features.of(configs)).toEqual(cachedFeatures(task).of(configs));
  });
});

describe("threads that make vectors", () => {
  const script = new URL("../../../dist/tuner/features/feature-thread.js", import.meta.url);
  const pool = new FeaturePool({ threads: 2, script });
  afterAll(() => pool[Symbol.asyncDispose]());

  it("make the same, in order, more configs than one job holds, and say why when the task cannot be opened", async () => {
    expect(existsSync(script), "npm run build has made the thread's module").toBe(true);
    const many = Array.from({ length: 40 }, (_, i) => task.space.toIndex((i * 7) % task.space.size));
    expect(await pool.extract(spec, many)).toEqual(many.map((index) => extractFeatures(task, index)));
    await expect(pool.extract({ ...spec, word: "no_such_task" }, configs)).rejects.toThrow(/no_such_task/);
  });

  it("end with the pool, and what waits is rejected", async () => {
    const closing = new FeaturePool({ threads: 1, script });
    const waiting = closing.extract(spec, configs);
    const refused = expect(waiting).rejects.toThrow(/closed/);
    await closing[Symbol.asyncDispose]();
    await refused;
    await expect(closing.extract(spec, configs)).rejects.toThrow(/closed/);
  });

  it("that die reject their own job alone, and the next one starts another, each time", async () => {
    const text = `import { parentPort } from "node:worker_threads";
      parentPort.on("message", ({ spec, configs }) => {
        if (spec.word === "dies") process.exit(1);
        parentPort.postMessage({ vectors: configs.map((index) => Float32Array.of(index)) });
      });`;
    await using mortal = new FeaturePool({ threads: 1, script: new URL(`data:text/javascript,${encodeURIComponent(text)}`) });
    const ask = (word: string, of: readonly number[]) =>
      mortal.extract({ ...spec, word }, of as ConfigIndex[]).then(
        (vectors) => vectors.map(([value]) => value),
        (error: Error) => error.message,
      );
    const died = "a thread that extracts features ended";
    for (let round = 0; round < 2; round++) {
      expect(await Promise.all([ask("a", [1, 2]), ask("dies", [3]), ask("b", [4])])).toEqual([[1, 2], died, [4]]);
      expect(await ask("dies", [5])).toBe(died);
    }
  });

  it("change nothing in what xgb proposes", async () => {
    const run = async (threaded: boolean) => {
      const elsewhere = (asked: readonly ConfigIndex[]) => pool.extract(spec, asked);
      const features = cachedFeatures(task, threaded ? { elsewhere } : {});
      const tuner = xgbTuner({ space: task.space, seed: 5, isValid: () => true, features }, { planSize: 8 });
      const proposed: ConfigIndex[] = [];
      while (proposed.length < 40) {
        if (threaded) await tuner.prepare?.();
        const [next] = tuner.ask(1);
        if (next === undefined) break;
        proposed.push(next);
        tuner.tell([measured(next)]);
      }
      return proposed;
    };
    const plain = await run(false);
    expect(plain).toHaveLength(40);
    expect(await run(true)).toEqual(plain);
  });
});
