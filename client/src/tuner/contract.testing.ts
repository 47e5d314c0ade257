/**
 * The suite that every tuner passes (tuner.ts lists the promises). `score` of these tests is a smooth function with one best
 * config, so a tuner can learn. The static check refuses about a third of the space.
 */
import { Random } from "@warpfarm/common";
import { type ConfigIndex, ConfigSpace, listedConfigs, SpaceBuilder } from "@warpfarm/compiler";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MakeTuner, Measured, Tuner } from "./tuner.ts";

export function smallSpace(): ConfigSpace {
  const space = new SpaceBuilder();
  space.split("tile", { loop: "l0", extent: 64 }, { parts: 3 });
  space.choice("unroll", [0, 16, 512]);
  space.choice("order", ["a", "b"]);
  return space.build();
}
export const largeSpace = (): ConfigSpace => {
  const space = new SpaceBuilder();
  for (const name of ["f", "y", "x"]) space.split(name, { loop: name, extent: 4096 }, { parts: 4 });
  return space.build();
};
const isValid = (index: ConfigIndex) => (index * 2654435761) % 3 !== 0;

export function measured(index: ConfigIndex): Measured {
  if (index % 11 === 0) return { index, outcome: { kind: "failed" } };
  if (index % 17 === 0) return { index, outcome: { kind: "skipped" } };
  return { index, outcome: { kind: "timed", seconds: 1e-3 * (1 + Math.abs(index - 70) / 100) } };
}

/**
 * Runs a tuner to its end with `inFlight` configs outstanding whose results return in a shuffled order; the proposals in order.
 */
export function drain(
  tuner: Tuner,
  { inFlight, seed, limit = Infinity }: { inFlight: number; seed: number; limit?: number },
): ConfigIndex[] {
  const random = new Random(seed);
  const proposed: ConfigIndex[] = [];
  let flying: ConfigIndex[] = [];
  for (let idle = 0; idle < 3 && proposed.length < limit; ) {
    const next = tuner.ask(Math.min(inFlight - flying.length, limit - proposed.length));
    proposed.push(...next);
    flying = random.shuffle([...flying, ...next]);
    const landed = flying.splice(0, 1 + random.below(3));
    tuner.tell(landed.map(measured));
    idle = next.length + landed.length > 0 || !tuner.exhausted ? 0 : idle + 1;
  }
  return proposed;
}

export interface ContractSizes {
  /** Of the usual number of random cases. */
  readonly share: number;
  /** So many of a search are compared with its replay. */
  readonly proposals: number;
}

/** `sizes`: for slow tuners. */
export function tunerContract(
  name: string,
  make: MakeTuner,
  { share, proposals }: ContractSizes = { share: 1, proposals: 400 },
): void {
  const runs = (usual: number) => Math.max(1, Math.round(usual * share));
  const validOf = (space: ConfigSpace) => Array.from({ length: space.size }, (_, i) => space.toIndex(i)).filter(isValid);

  describe(`the tuner ${name}`, () => {
    it("proposes every valid config exactly once, then is exhausted, whatever is in flight", () => {
      fc.assert(
        fc.property(fc.integer(), fc.integer({ min: 1, max: 150 }), (seed, inFlight) => {
          const space = smallSpace();
          const tuner = make({ space, seed, isValid });
          const proposed = drain(tuner, { inFlight, seed });
          expect([...proposed].sort((a, b) => a - b)).toEqual(validOf(space));
          expect(tuner.exhausted).toBe(true);
          expect(tuner.ask(5)).toEqual([]);
        }),
        { numRuns: runs(30) },
      );
    });

    it("asks the static check once per config and never proposes what it refuses", () => {
      const asked: ConfigIndex[] = [];
      const space = smallSpace();
      const tuner = make({ space, seed: 3, isValid: (i) => asked.push(i) > 0 && isValid(i) });
      for (const index of drain(tuner, { inFlight: 8, seed: 3 })) expect(isValid(index)).toBe(true);
      expect(new Set(asked).size).toBe(asked.length);
      expect(asked).toHaveLength(space.size);
    });

    it("ends on a space where nothing is valid", () => {
      const tuner = make({ space: smallSpace(), seed: 1, isValid: () => false });
      expect(drain(tuner, { inFlight: 4, seed: 1 })).toEqual([]);
      expect(tuner.exhausted).toBe(true);
    });

    it("gives up one ask, not itself, after many refusals in a row", () => {
      const space = largeSpace();
      const valid = space.size - 1 - (space.size % 2);
      const tuner = make({ space, seed: 1, isValid: (i) => i > valid });
      expect(tuner.ask(1).length).toBeLessThanOrEqual(1);
      expect(tuner.exhausted).toBe(false);
    });

    it("is a function of seed, asks and tells: a replay proposes the same", () => {
      fc.assert(
        fc.property(fc.integer(), fc.integer({ min: 1, max: 64 }), (seed, inFlight) => {
          const run = () => drain(make({ space: largeSpace(), seed, isValid }), { inFlight, seed, limit: proposals });
          expect(run()).toEqual(run());
        }),
        { numRuns: runs(10) },
      );
    });

    it("proposes in one ask what it proposes in many", () => {
      fc.assert(
        fc.property(fc.integer(), fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 12 }), (seed, parts) => {
          const one = make({ space: largeSpace(), seed, isValid });
          const many = make({ space: largeSpace(), seed, isValid });
          for (const tuner of [one, many]) tuner.tell(tuner.ask(100).map(measured));
          expect(parts.flatMap((n) => many.ask(n))).toEqual(one.ask(parts.reduce((a, b) => a + b, 0)));
        }),
        { numRuns: runs(20) },
      );
    });

    it("does not depend on the order of results told together", () => {
      const after = (order: (pairs: Measured[]) => Measured[]) => {
        const tuner = make({ space: largeSpace(), seed: 7, isValid });
        tuner.tell(order(tuner.ask(Math.min(120, proposals)).map(measured)));
        return tuner.ask(50);
      };
      const usual = after((p) => p);
      expect(after((p) => p.reverse())).toEqual(usual);
      expect(after((p) => new Random(5).shuffle(p))).toEqual(usual);
    });

    it("takes results of configs it did not propose and never proposes those", () => {
      const space = smallSpace();
      const tuner = make({ space, seed: 2, isValid });
      const foreign = validOf(space).slice(0, 60);
      tuner.tell(foreign.map(measured));
      const proposed = drain(tuner, { inFlight: 5, seed: 2 });
      expect([...foreign, ...proposed].sort((a, b) => a - b)).toEqual(validOf(space));
    });

    it("proposes every config that the space's constraints allow, whatever it was told of others", () => {
      const { knobs, size } = smallSpace();
      const allowed = Array.from({ length: size }, (_, i) => i).filter((i) => i % 4 === 1);
      const space = new ConfigSpace(knobs, listedConfigs(allowed));
      const tuner = make({ space, seed: 2, isValid: () => true });
      tuner.tell(
        Array.from({ length: size }, (_, i) => space.toIndex(i))
          .filter((i) => i % 4 === 0)
          .map(measured),
      );
      expect(tuner.exhausted).toBe(false);
      expect(drain(tuner, { inFlight: 5, seed: 2 }).sort((a, b) => a - b)).toEqual(allowed);
      expect(tuner.exhausted).toBe(true);
    });
  });
}
