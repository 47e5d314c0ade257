import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSearchSpec } from "@warpfarm/records/search";
import { afterAll, describe, expect, test } from "vitest";
import { measureOptionsFor } from "../../search/spec-options.ts";
import { readSuiteFile } from "../../suite/format.ts";
import { exitCodeOf } from "../exit.ts";
import { readMeasure } from "./measure-flags.ts";

const here = mkdtempSync(join(tmpdir(), "warpfarm-measure-"));
afterAll(() => rmSync(here, { recursive: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(here, name), text);
  return name;
};
const read = (...given: readonly string[]) => readMeasure(given, here);

describe("--measure", () => {
  test("presets are exactly these options, and the rest are the backend's", async () => {
    const rest = {
      number: 0,
      repeat: 10,
      precision: 0.01,
      minRepeatMs: 4,
      buildTimeoutMs: 30_000,
      runTimeoutMs: 10_000,
      cooldownMs: 5,
    };
    const usual = { ...rest, l2: "warm", timer: "cuda_graph", check: "reference", inputs: "full", power: "burst" };
    const options = async (...given: readonly string[]) => measureOptionsFor(await read(...given), "cuda");
    expect(await options()).toEqual(usual);
    expect(await options("quick")).toEqual({ ...usual, repeat: 3, minRepeatMs: 1 });
    expect(await options("thorough")).toEqual({ ...usual, repeat: 50, precision: 0, runTimeoutMs: 60_000 });
    expect(await options("autotvm")).toEqual({
      ...usual,
      ...{ number: 4, repeat: 3, precision: 0, minRepeatMs: 0, buildTimeoutMs: 10_000, runTimeoutMs: 10_000, cooldownMs: 0 },
      power: "as_asked",
    });
    const sustained = { ...usual, minRepeatMs: 100, cooldownMs: 0, power: "sustained" };
    expect(await options("power=sustained")).toEqual(sustained);
    expect(await options("quick,power=sustained")).toEqual({ ...sustained, repeat: 3, minRepeatMs: 1 });
  });

  test("repeats that are no bursts are as asked, and refused where bursts are asked for", async () => {
    const of = async (given: string) => measureOptionsFor(await read(given), "cuda");
    for (const given of ["number=1", "min_repeat=6ms", "cooldown=4ms"]) {
      expect((await of(given)).power, given).toBe("as_asked");
      await expect(of(`${given},power=burst`), given).rejects.toThrow(/^power burst .*; power as_asked takes any$/);
    }
    for (const given of ["repeat=9", "number=0", "min_repeat=5ms", "cooldown=5ms"])
      expect((await of(given)).power, given).toBe("burst");
    expect((await of("power=as_asked")).minRepeatMs).toBe(100);
  });

  test("all fields by name; times in their usual words", async () => {
    const all =
      "number=7,repeat=5,precision=0.025,min_repeat=1500ms,build_timeout=2m,run_timeout=9s,cooldown=50ms,l2=flushed,timer=events,check=none,inputs=exact,power=sustained,cutoff=80us";
    expect(await read(all)).toEqual({
      ...{
        number: 7,
        repeat: 5,
        precision: 0.025,
        min_repeat: "1500ms",
        build_timeout: "2m",
        run_timeout: "9s",
        cooldown: "50ms",
      },
      ...{ l2: "flushed", timer: "events", check: "none", inputs: "exact", power: "sustained", cutoff: "80us" },
    });
    const { incumbent, ...options } = measureOptionsFor(await read(all, "l2=warm"), "cuda");
    expect(options).toEqual({
      ...{
        number: 7,
        repeat: 5,
        precision: 0.025,
        minRepeatMs: 1_500,
        buildTimeoutMs: 120_000,
        runTimeoutMs: 9_000,
        cooldownMs: 50,
      },
      ...{ l2: "warm", timer: "events", check: "none", inputs: "exact", power: "sustained" },
    });
    expect(incumbent).toBeCloseTo(80e-6, 12);
  });

  test("kernels are judged unless they are not checked or it is said; other tasks only when it is said", async () => {
    const options = async (isKernel: boolean, ...given: readonly string[]) =>
      measureOptionsFor(await read(...given), "cuda", { isKernel }).judged;
    expect([await options(true), await options(false)]).toEqual([true, undefined]);
    expect([await options(true, "judged=false"), await options(false, "judged=true")]).toEqual([undefined, true]);
    expect(await options(true, "check=none")).toBeUndefined();
    await expect(read("judged=maybe")).rejects.toThrow("--measure: judged: ");
  });

  test("a field wins over a preset or a file wherever it stands; of one field the last", async () => {
    const quickly = { repeat: 7, min_repeat: "1ms" };
    for (const given of [["quick,repeat=7"], ["repeat=7,quick"], ["repeat=7", "quick"], ["quick", "repeat=2", "repeat=7"]])
      expect(await read(...given), given.join(" ")).toEqual(quickly);
    const how = file("how.yaml", "repeat: 9\nl2: flushed\n");
    expect(await read(`repeat=7,${how}`)).toEqual({ repeat: 7, l2: "flushed" });
    expect(await read(file("how.json", '{"cutoff": "2ms"}'), "repeat=1")).toEqual({ cutoff: "2ms", repeat: 1 });
  });

  const fields =
    "fields are number, repeat, precision, min_repeat, build_timeout, run_timeout, cooldown, l2, timer, check, inputs, power, judged, cutoff";
  test.each([
    [["repat=5"], `--measure: the measurement: repat is no field of it; ${fields}`],
    [[file("odd.yaml", "repeat: 5\nrepat: 6\n")], `--measure odd.yaml: the measurement: repat is no field of it; ${fields}`],
    [[file("low.json", '{"repeat": 0}')], "--measure low.json: repeat: "],
    [[file("list.yaml", "- 1\n")], "--measure list.yaml: the measurement: quick, thorough, autotvm, or an object of fields"],
    [[file("bad.yaml", "a: [\n")], "--measure bad.yaml is not YAML"],
    [["gone.yaml"], '--measure names "gone.yaml", which cannot be read: there is no such file'],
    [["fast"], '--measure is "fast"; it takes quick, thorough, autotvm, a file that ends in .yaml or .json, or fields such as'],
    [["quick,autotvm"], '--measure names "quick" and "autotvm"; it takes one preset or file'],
    [["min_repeat=20"], '--measure: min_repeat: it is "20", without a unit: write 20ms; it takes a time'],
    [["cutoff=0.001"], '--measure: cutoff: it is "0.001", without a unit: write 0.001s; '],
    [["repeat=1001"], "--measure: repeat: "],
    [["precision=0.51"], "--measure: precision: "],
    [["precision=1%"], "--measure: precision: "],
    [["repeat=2.5"], "--measure: repeat: "],
    [["repeat="], "--measure: repeat: "],
  ])("%j is refused by name", async (given, message) => {
    const error = await readMeasure(given, here).catch((refusal: Error) => refusal);
    expect([exitCodeOf(error), (error as Error).message]).toEqual([2, expect.stringContaining(message)]);
  });

  test("suites and searches take the same presets and fields, and keep the fields", () => {
    const spec = { version: 1, task: { template: "matmul_derived" } };
    expect(readSearchSpec({ ...spec, measure: "quick" }).measure).toEqual({ repeat: 3, min_repeat: "1ms" });
    expect(() => readSearchSpec({ ...spec, measure: "quik" })).toThrow(
      "measure: quick, thorough, autotvm, or an object of fields",
    );
    expect(() => readSearchSpec({ ...spec, measure: { repat: 1 } })).toThrow(`measure: repat is no field of it; ${fields}`);
    const suite = readSuiteFile({ name: "s", tasks: [{ task: "matmul_derived" }], measure: "autotvm" });
    expect(suite).toMatchObject({ ok: true, value: { measure: { number: 4, build_timeout: "10s" } } });
  });
});
