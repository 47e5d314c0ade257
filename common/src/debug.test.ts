import { expect, test } from "vitest";
import { parseDebug } from "./debug.ts";

test("the debug variables, unset, set and wrong", () => {
  expect(parseDebug({})).toEqual({ level: 0, check: false });
  expect(parseDebug({ WARPFARM_DEBUG: "", WARPFARM_CHECK: "0", WARPFARM_DUMP: "" })).toEqual({ level: 0, check: false });
  const all = { WARPFARM_DEBUG: "5", WARPFARM_CHECK: "1", WARPFARM_DUMP: "d" };
  expect(parseDebug(all)).toEqual({ level: 5, check: true, dumpDir: "d" });
  expect(() => parseDebug({ WARPFARM_DEBUG: "6" })).toThrow('WARPFARM_DEBUG is "6"; it takes 0 to 5');
  expect(() => parseDebug({ WARPFARM_CHECK: "yes" })).toThrow('WARPFARM_CHECK is "yes"; it takes 0 or 1');
});
