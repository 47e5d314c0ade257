import { defaultMeasureOptions, digestOf, type ProgramDigest, toProgramDigest, toSessionId } from "@warpfarm/common";
import { expect, it } from "vitest";
import type { NewInput, ProgramInput } from "../store/sql/new-input.ts";
import { SentPrograms } from "./sent-programs.ts";

const digest = (name: string): ProgramDigest => toProgramDigest(digestOf(name));
const sent = (name: string): ProgramInput => ({
  digest: digest(name),
  sent: { bytes: Buffer.from(name), target: "cpu/x86-64-v3", version: 1 },
});
const named = (name: string): ProgramInput => ({ digest: digest(name) });
const input = (principal: string, program: ProgramInput, more: Partial<NewInput> = {}): NewInput => ({
  session: toSessionId("s"),
  ...{ stream: 1, sequence: 1, priority: 0, options: defaultMeasureOptions("cpu"), principal, program },
  ...more,
});

/** `stored`: what the store knows to have been sent, as "principal program". */
function opened(stored: readonly string[] = []) {
  const asked: string[] = [];
  const query = async (_sql: string, [principals, digests]: readonly unknown[] = []) => {
    const pairs = (principals as string[]).map((principal, i) => ({ principal, digest: (digests as string[])[i] as string }));
    const nameOf = (pair: (typeof pairs)[number]) =>
      `${pair.principal} ${["a", "b", "r"].find((name) => digest(name) === pair.digest)}`;
    asked.push(...pairs.map(nameOf));
    return pairs.filter((pair) => stored.includes(nameOf(pair))) as never;
  };
  const programs = new SentPrograms({ query });
  /** Names of principals and programs that are marked as another's. */
  const marks = async (...inputs: NewInput[]) =>
    (await programs.marked(inputs)).map(({ program, reference, others = [] }) =>
      [program, reference, ...others].map((p) => (p?.isAnothers === true ? 1 : 0)).join(""),
    );
  return { marks, asked: () => asked.splice(0) };
}

it("a digest names a program for the principal that sent it, and for no other, for whom the store is asked each time", async () => {
  const { marks, asked } = opened();
  expect(await marks(input("ada", sent("a")))).toEqual(["00"]);
  expect(await marks(input("ada", named("a")), input("bob", named("a")))).toEqual(["00", "10"]);
  expect(await marks(input("bob", named("a")))).toEqual(["10"]);
  expect(asked()).toEqual(["bob a", "bob a"]);
  expect(await marks(input("bob", sent("a")), input("bob", named("a")))).toEqual(["00", "00"]);
  expect(await marks(input("local", named("b")))).toEqual(["00"]);
  expect(asked()).toEqual([]);
});

it("what the store knows is asked once; bytes may come behind the name in one batch; references and others are looked at too", async () => {
  const { marks, asked } = opened(["ada b"]);
  const whole = (more: Partial<NewInput>) => input("ada", named("b"), more);
  expect(await marks(whole({ reference: named("r"), others: [named("a"), named("b")] }))).toEqual(["0110"]);
  expect(asked().sort()).toEqual(["ada a", "ada b", "ada r"]);
  expect(await marks(whole({ reference: named("r") }), input("ada", sent("r")))).toEqual(["00", "00"]);
  expect(asked()).toEqual(["ada r"]);
  expect(await marks(whole({ reference: named("r") }))).toEqual(["00"]);
  expect(asked()).toEqual([]);
});
