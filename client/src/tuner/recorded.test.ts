/**
 * The gate: the tuners' scores on recorded spaces, with fixed seeds. Searches are functions of their seeds, so a score changes
 * only when a tuner does. The bounds are a few standard errors below the measured scores (bench/results/tuners.json), and a worse
 * tuner falls below them.
 */
import { Random } from "@warpfarm/common";
import type { ConfigIndex } from "@warpfarm/compiler";
import { beforeAll, describe, expect, it } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { readRecorded } from "../score/read-recorded.ts";
import { openRecorded, type Recorded } from "../score/recorded-space.ts";
import { scoreTuner } from "../score/score.ts";
import { tuners } from "./index.ts";
import type { MakeTuner } from "./tuner.ts";
import { xgbTuner } from "./xgb/xgb.ts";

const open: Record<string, Recorded> = {};
async function load(name: string): Promise<Recorded> {
  const read = await readRecorded(new URL(`../../test/spaces/${name}.json.gz`, import.meta.url).pathname);
  if (!read.ok) throw new Error(read.error);
  return openRecorded(read.value);
}
beforeAll(async () => {
  for (const name of [
    "convolution_milo-MI250X",
    "convolution_milo-W7800",
    "convolution_milo-A4000",
    "pnpoly-RTX_3090",
    "coulomb3d-RTX_2080_Ti.ktt",
  ])
    open[name] = await load(name);
});
const scored = (space: string, tuner: "ga" | "auto" | "xgb", options: { repeats: number; inFlight: number; budget?: number }) =>
  scoreTuner(open[space] as Recorded, tuner, tuners[tuner], { seed: 1, ...options });

describe("auto", () => {
  /** Space, configs in flight, evaluations. */
  const searches = [
    ["convolution_milo-MI250X", 1, 90],
    ["convolution_milo-W7800", 1, 40],
    ["convolution_milo-A4000", 1, 80],
    ["pnpoly-RTX_3090", 1, 120],
    ["pnpoly-RTX_3090", 32, 100],
  ] as const;

  it("scores above 0.55 on average, where random search is at 0, and finds 99 % of pnpoly within 60 evaluations, 90 with 32 in flight", () => {
    const made = searches.map(([space, inFlight, budget]) =>
      scored(space, "auto", { repeats: isFull ? 4 : 2, inFlight, budget }),
    );
    // With five seeds, this one among them, the mean of these 20 searches is 0.69, with a standard deviation of 0.07.
    expect(made.reduce((sum, { score }) => sum + score, 0) / made.length).toBeGreaterThan(0.55);
    const pnpoly = made.slice(3).map((score) => score.evaluations_to["0.99"]?.median ?? Number.POSITIVE_INFINITY);
    expect(pnpoly[0]).toBeLessThanOrEqual(60);
    expect(pnpoly[1]).toBeLessThanOrEqual(90);
  });

  it("begins well: scores above 0.6 where five evaluations are all there are", () => {
    // Of 24 searches, with other seeds: 0.8 to 0.9; 0.2 to 0.7 without the second config's choice (auto.ts).
    expect(scored("coulomb3d-RTX_2080_Ti.ktt", "auto", { repeats: 24, inFlight: 1 }).score).toBeGreaterThan(0.6);
  });
});

describe("xgb", () => {
  /** The same times, assigned to other configs, so nothing can be learnt. */
  const shuffled = (recorded: Recorded): Recorded => ({
    ...recorded,
    time: Float64Array.from(new Random(7).shuffle([...recorded.time])),
  });

  it("learns pnpoly, and with shuffled times is worth what random search is", () => {
    const recorded = open["pnpoly-RTX_3090"] as Recorded;
    const make: MakeTuner = (o) => xgbTuner(o, { boost: { rounds: 20 }, annealing: { chains: 32, steps: 40 } });
    const options = { repeats: 24, seed: 3, inFlight: 1, budget: 100 };
    const random = (on: Recorded) => scoreTuner(on, "random", tuners.random, { ...options, repeats: 200 }).score;
    const noise = shuffled(recorded);
    // A search has a standard deviation of about 0.35, the mean of 24 one of 0.07.
    expect(scoreTuner(recorded, "xgb", make, options).score).toBeGreaterThan(random(recorded) + 0.1);
    expect(Math.abs(scoreTuner(noise, "xgb", make, options).score - random(noise))).toBeLessThan(0.2);
  });

  it("is far above random search where the budget ends before its first plans do", () => {
    const spaces = ["convolution_milo-MI250X", "convolution_milo-W7800", "pnpoly-RTX_3090"] as const;
    const made = spaces.map((space) => scored(space, "xgb", { repeats: isFull ? 12 : 6, inFlight: 1, budget: 40 }).score);
    // Over 96 other seeds the mean is 0.41, that of 12 has a standard deviation of 0.1. With a first plan drawn at random it is
    // -0.06.
    expect(made.reduce((sum, score) => sum + score, 0) / made.length).toBeGreaterThan(0.15);
  });

  it("measures a first plan without a model, then what the model plans, with its share of random configs", () => {
    const { space } = open["pnpoly-RTX_3090"] as Recorded;
    const make = (seed: number) => xgbTuner({ space, seed, isValid: () => true }, { planSize: 16, exploration: 0.25 });
    const tuner = make(1);
    const first = tuner.ask(16);
    const good = (index: ConfigIndex) => space.digits(index)[2] === 3;
    tuner.tell(first.map((index) => ({ index, outcome: { kind: "timed", seconds: good(index) ? 1 : 2 } })));
    const planned = tuner.ask(16).filter(good).length;
    expect(first.some(good)).toBe(true);
    expect(planned).toBeGreaterThan(first.filter(good).length);
    expect(planned).toBeLessThan(17);
  });
});
