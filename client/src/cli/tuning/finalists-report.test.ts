import { defaultMeasureOptions, toProgramDigest } from "@warpfarm/common";
import { type Entity, type Finals, judgeFinals } from "@warpfarm/records/suites";
import { expect, test } from "vitest";
import { finalistsLines, finalistsReport } from "./finalists-report.ts";

const program = toProgramDigest(`sha256:${"0".repeat(64)}`);
const indexOf = ([knob]: Entity): number => Number(knob?.[2]);
/** Costs by config and round: `wobble` of its neighbours' differ, alternately up and down. */
function outcome(costs: Readonly<Record<number, number>>, rounds: number, wobble = 0) {
  const finals: Finals = {
    finalists: Object.keys(costs).map((value) => ({ config: [["tile", "ot", Number(value)]] as const, program })),
    runs: [
      {
        device: { key: "cpu/x86-64-v3", name: "A CPU", uuid: "u", node: "n", driver: "" },
        costs: Object.values(costs).map((cost, i) =>
          Array.from({ length: rounds }, (_, r) => cost * (1 + wobble * Math.sin(7 * i + (r >> 1) * (i + 1.7)))),
        ),
      },
    ],
    failed: [],
    paired: { rounds, idleMs: 0 },
    options: defaultMeasureOptions("cpu"),
  };
  return { kind: "judged", finals, verdict: judgeFinals(finals), notes: [] } as const;
}
const lines = (...of: Parameters<typeof outcome>): string =>
  finalistsLines(outcome(...of), indexOf)
    .map(([what, words]) => `${what}: ${words}`)
    .join("\n");

test("a config that is clearly slower is so by a share and by a multiple of the noise", () => {
  expect(lines({ 3: 0.001, 8: 0.00115 }, 20, 0.002)).toMatch(
    /^runner-up: index 8: 1\d\.\d\d % slower, \d+\.\d times the noise$/m,
  );
  expect(lines({ 3: 0.001, 8: 0.00115 }, 20, 0.002)).not.toMatch(/within noise|tied/);
  expect(lines({ 3: 1, 8: 2 }, 20)).toMatch(/^runner-up: index 8: 2\.0 times the winner's time, without noise$/m);
  expect(lines({ 3: 1, 8: 46 }, 20)).toMatch(/^runner-up: index 8: 46\.0 times the winner's time, without noise$/m);
});

test("one that is not told apart is as fast within noise, also where the first by its values won with the longer time", () => {
  for (const [a, b] of [
    [1, 1.01],
    [1.01, 1],
    [1, 1],
  ] as const) {
    const words = lines({ 3: a, 8: b }, 20, 0.3);
    expect(words).toMatch(/^winner: index 3:/m);
    expect(words).toMatch(/^runner-up: index 8: tied with the winner within \d+\.\d\d %$/m);
    expect(words).toMatch(/^tied: index 8: tied with the winner within \d+\.\d\d %; /m);
    expect(words).toMatch(/^finalist: index 8: .* times the winner's, tied$/m);
    expect(words).not.toMatch(/%\s(slower|faster)|-\d/);
    expect(finalistsReport(outcome({ 3: a, 8: b }, 20, 0.3), indexOf)).toMatchObject({
      gap_in_noise: expect.toSatisfy((gap: number) => gap >= 0),
    });
  }
});

test("too few rounds are no verdict: how many it takes depends on the number of configs", () => {
  const few = lines({ 3: 1, 8: 2 }, 8);
  expect(few).toMatch(/^no verdict: 8 rounds are too few for a verdict on 2 configs: give --rounds 9 or more; /m);
  expect(few).toMatch(/; the fastest wins$/m);
  expect(few).not.toMatch(/within noise|tied/);
  expect(lines({ 3: 2, 8: 1 }, 8)).toMatch(/^winner: index 8:/m);
  expect(lines({ 3: 1, 8: 2 }, 9)).not.toContain("no verdict");
  expect(lines({ 3: 1, 8: 2, 9: 3, 10: 4, 11: 5 }, 12)).toMatch(/5 configs: give --rounds 13 or more/);
  expect(lines({ 3: 1, 8: 2, 9: 3, 10: 4, 11: 5 }, 13)).not.toContain("no verdict");
});
