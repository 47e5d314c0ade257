/** `--baseline`: what a file or a pack must say, and what is refused by its line and column. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { suitePlan } from "../../../../test-support/suite-plan.ts";
import { kernelAt, key, suiteIn, tasks } from "../../suite/pack.testing.ts";
import { packIn, writePack } from "../../suite/pack-folder.ts";
import { scratch } from "../context.testing.ts";
import { readBaseline } from "./plan-baseline.ts";

const plan = suitePlan({ name: "three", tasks });
async function read(home: string, word: string, device = "scripted") {
  const said: string[] = [];
  const context = { cwd: home, home, env: {}, stderr: { write: (text: string) => said.push(text) } };
  const farm = { devices: [{ key, labels: {}, memoryBytes: 1e9, model: { name: device, driver: "" } }] };
  const found = (await readBaseline(context as never, word))(plan, farm as never);
  return { of: found.of, name: found.name, said: said.join("") };
}

const head = "M,K,N,device,inputs,power,l2,library_us,noise";
const csv = (...rows: readonly string[]) => {
  const home = scratch();
  writeFileSync(join(home, "lib.csv"), `${[head, ...rows].join("\n")}\n`);
  return read(home, "lib.csv");
};

it("of a library has the rows of the suite's shapes, with their own noise or 3 %", async () => {
  const { of, said } = await csv("4,8,16,scripted,full,burst,warm,2.5,", "16,8,16,scripted,full,burst,warm,7,0.01");
  expect(of).toEqual({
    t0: { kind: "library", seconds: 2.5e-6, margin: 0.03 },
    t2: { kind: "library", seconds: 7e-6, margin: 0.01 },
  });
  expect(said).toBe("1 task of the suite is not in lib.csv: no baseline there\n");
  const ends = await csv("4,8,16,scripted,full,burst,warm,2.5,0", "16,8,16,scripted,full,burst,warm,7,0.5");
  expect(ends.of).toMatchObject({ t0: { margin: 0 }, t2: { margin: 0.5 } });
});

it.each([
  ["4,8,16,,full,burst,warm,2.5,", "lib.csv line 2: it has no device"],
  ["4,8,16,scripted,,burst,warm,2.5,", "lib.csv line 2: it has no inputs"],
  ["4,8,16,scripted,full,,warm,2.5,", "lib.csv line 2: it has no power"],
  ["4,8,16,scripted,full,burst,,2.5,", "lib.csv line 2: it has no l2"],
  ["4,8,16,Another,full,burst,warm,2.5,", 'line 2, column device: it is "Another", and the suite runs on scripted'],
  ["4,8,16,scripted,full,sustained,warm,2.5,", 'line 2, column power: it is "sustained", and the suite measures with burst'],
  ["4,8,16,scripted,full,burst,flushed,2.5,", 'line 2, column l2: it is "flushed", and the suite measures with warm'],
  ["4,8,16,scripted,full,burst,warm,-1,", "line 2, column library_us: it is -1; it takes microseconds above 0"],
  ["4,8,16,scripted,full,burst,warm,1,0.51", "line 2, column noise: it is 0.51; it takes a share"],
  ["5,8,16,scripted,full,burst,warm,1,", "--baseline lib.csv has none of the suite's 3 tasks"],
])("refuses %s", async (row, words) => {
  await expect(csv(row)).rejects.toThrow(words);
});

it("refuses two rows of one shape, an argument that no task has, and what is not there", async () => {
  const row = "4,8,16,scripted,full,burst,warm,2.5,";
  await expect(csv(row, row)).rejects.toThrow("lib.csv line 3: lib.csv line 2 is of the same shape");
  const home = scratch();
  writeFileSync(join(home, "lib.csv"), `Q,device,inputs,power,l2,library_us\n4,scripted,full,burst,warm,1\n`);
  await expect(read(home, "lib.csv")).rejects.toThrow("lib.csv line 2, column Q: no task of the suite has this argument");
  await expect(read(home, "gone.csv")).rejects.toThrow('--baseline names "gone.csv", which cannot be read');
  await expect(read(home, "gone")).rejects.toThrow("gone holds neither a suite nor a pack");
});

it("of an earlier pack has its choices, and refuses one of another device or of other conditions", async () => {
  const home = scratch();
  const baseline = { name: "lib.csv", of: { t1: { kind: "library" as const, seconds: 1e-12, margin: 0.02 } } };
  const directory = await suiteIn(join(home, "before"), [[1e-6], [1e-6]], { baseline });
  await writePack(directory.path, await packIn(directory, "before"));
  expect((await read(home, "before")).of).toEqual({
    t0: { kind: "config", ...kernelAt(0, 2) },
    t1: { kind: "library", seconds: 1e-12, margin: 0.02 },
  });
  await expect(read(home, "before", "Another")).rejects.toThrow(
    'matmul_derived [4,16,8,"float32","NN"] was measured on scripted, and the farm has Another',
  );
  const flushed = tasks.map((task) => ({ ...task, search: { ...task.search, measure: { l2: "flushed" as const } } }));
  await suiteIn(join(home, "flushed"), [[1e-6]], { tasks: flushed });
  await expect(read(home, "flushed")).rejects.toThrow(
    /matmul_derived \[4,16,8,"float32","NN"\] on scripted was measured under .*flushed.*, and the suite measures under .*warm/,
  );
  expect((await read(home, "default")).of).toEqual({ t0: { kind: "default" }, t1: { kind: "default" }, t2: { kind: "default" } });
});
