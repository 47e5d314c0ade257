/** From whom a generation is bred. */
import { ConfigSpace, choiceKnob } from "@warpfarm/compiler/language";
import { expect, test } from "vitest";
import { gaTuner } from "./ga.ts";

test("parents are the results since the last breeding, and of earlier ones only the elites", () => {
  const values = Array.from({ length: 64 }, (_, i) => i);
  const space = new ConfigSpace([choiceKnob("a", values), choiceKnob("b", values)]);
  const digitsOf = (half: number) =>
    Array.from({ length: 24 }, (_, i) => [32 * half + ((i * 7) % 32), 32 * half + ((i * 11 + 5) % 32)]);
  /** Of 40 children the share of digits in the upper half, after fast parents of the lower half and slow ones of the upper. */
  const upper = (elites: number): number => {
    const tuner = gaTuner({ space, seed: 3, isValid: () => true }, { population: 40, elites, mutation: 0 });
    const tell = (half: number, seconds: number) =>
      tuner.tell(digitsOf(half).map((digits) => ({ index: space.fromDigits(digits), outcome: { kind: "timed", seconds } })));
    tuner.ask(40);
    tell(0, 1e-6);
    tuner.ask(40);
    tell(1, 1e-3);
    const digits = tuner.ask(40).flatMap((index) => space.digits(index));
    return digits.filter((digit) => digit >= 32).length / digits.length;
  };
  // A child that was there before has a digit drawn anew: a quarter of the digits.
  expect(upper(0)).toBeGreaterThan(0.75);
  // Fast ones of before have nearly all children.
  expect(upper(3)).toBeLessThan(0.5);
});
