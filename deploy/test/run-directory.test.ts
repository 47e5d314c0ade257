/** Results that one test file makes and others use: made once, waited for while their maker lives, and no longer. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { madeOnce } from "../../test-support/run-directory.ts";

const name = (what: string) => `run-directory-test-${process.pid}-${what}`;
const never = (): never => {
  throw new Error("it is not made here");
};
/** A path in the directory of the run. */
const placeOf = (what: string) => madeOnce(name(what), (path) => writeFileSync(path, "made"));

test("what is made is not made again, and what failed is", () => {
  expect(() => madeOnce(name("once"), never)).toThrow("it is not made here");
  const path = placeOf("once");
  expect(readFileSync(path, "utf8")).toBe("made");
  expect(madeOnce(name("once"), never)).toBe(path);
  expect(existsSync(`${path}.making`)).toBe(false);
});

test("whoever makes has its process named, and others wait for it, and take what it made", async () => {
  const path = placeOf("waited").replace(/waited$/, "slow");
  const maker = spawn("/bin/sh", ["-c", 'read begin; sleep 0.3; echo other > "$0"; mkdir "$0.made"; rm "$0.making"', path]);
  symlinkSync(String(maker.pid), `${path}.making`);
  const ended = once(maker, "close");
  maker.stdin.end("begin\n");
  // The writing to the pipe is left to the next turn, and the wait lets none come.
  await once(maker.stdin, "finish");
  expect(madeOnce(name("slow"), never)).toBe(path);
  expect(readFileSync(path, "utf8")).toBe("other\n");
  await ended;
  madeOnce(name("named"), (made) => {
    expect(readlinkSync(`${made}.making`)).toBe(String(process.pid));
    writeFileSync(made, "");
  });
});

test("where nothing can be made, nothing is awaited", () => {
  expect(() => madeOnce(name("no-folder/one"), never)).toThrow("ENOENT");
});

test("of a maker that was killed nothing is awaited, and the error names it", async () => {
  const path = placeOf("before").replace(/before$/, "killed");
  const maker = spawn("/bin/sleep", ["1000"]);
  symlinkSync(String(maker.pid), `${path}.making`);
  maker.kill("SIGKILL");
  await once(maker, "close");
  for (let times = 0; times < 2; times++)
    expect(() => madeOnce(name("killed"), never)).toThrow(`${path} was not made: its maker, process ${maker.pid}, ended`);
});
