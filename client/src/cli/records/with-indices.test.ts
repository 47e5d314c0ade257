import { entityOf } from "@warpfarm/compiler/language";
import type { TuningRecord } from "@warpfarm/records";
import { createTask } from "@warpfarm/templates";
import { expect, it } from "vitest";
import { withIndices } from "./with-indices.ts";

it("gives the index of today's space to a config that has none, where a template has the config", async () => {
  const { name: task, args, target, space } = createTask("matmul_derived", { M: 32 }, "cpu/x86-64-v3");
  const of = (config: TuningRecord["config"], more: Partial<TuningRecord> = {}) =>
    ({ task, args, target, ...(config && { config }), ...more }) as TuningRecord;
  const config = { code_hash: null, entity: entityOf(space, space.toIndex(17)) };
  async function* records() {
    yield of(config);
    yield of({ ...config, index: 3, code_hash: "theirs" });
    yield of(undefined);
    yield of({ ...config, entity: [["tile", "ot", 1]] });
    yield of(config, { task: "mine" });
    yield of(config, { args: [0] });
  }
  const found: (number | undefined)[] = [];
  for await (const record of withIndices(records())) found.push(record.config?.index);
  expect(found).toEqual([17, 3, undefined, undefined, undefined, undefined]);
});
