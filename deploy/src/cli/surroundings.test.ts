import { Interrupted } from "@warpfarm/client/cli";
import { FarmError } from "@warpfarm/common";
import { expect, test } from "vitest";
import { unheard } from "./surroundings.ts";

const going = new AbortController().signal;
const cancelled = new FarmError("CANCELLED", "the connection was closed");

test.each([
  // [what nobody waited for, the command's signal, exit code, words]
  [
    "while a signal ends the command",
    cancelled,
    AbortSignal.abort(new Interrupted("SIGTERM")),
    143,
    /^warpfarm: stopped by SIGTERM\n$/,
  ],
  ["of the farm", new FarmError("UNAVAILABLE", "lost"), going, 3, /^warpfarm: lost\n$/],
  [
    "of ours",
    new TypeError("x is undefined"),
    going,
    1,
    /^warpfarm: a fault of warpfarm itself: x is undefined .*\nTypeError: x is undefined\n {4}at /,
  ],
])("a failure that nobody waited for, %s, ends the process in words", (_, error, signal, code, words) => {
  let stderr = "";
  expect(unheard(error, signal, { write: (text) => (stderr += text) })).toBe(code);
  expect(stderr).toMatch(words);
});
