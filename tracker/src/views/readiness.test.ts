import { FarmError, ManualClock } from "@warpfarm/common";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { watchStore } from "./readiness.ts";

/** A watch on a store with scripted answers, on a clock that the test moves. */
function watched(momentMs: number) {
  const clock = new ManualClock();
  const told: boolean[] = [];
  let answer: () => Promise<never[]> = async () => [];
  let asked = 0;
  const query = () => {
    asked++;
    return answer();
  };
  const log = pino({ level: "silent" });
  const watch = watchStore({ db: { lazy: { query } }, clock, log }, momentMs, (answers) => told.push(answers));
  onTestFinished(() => watch.stop());
  return {
    told,
    asked: () => asked,
    store: (next: typeof answer) => {
      answer = next;
    },
    /** Second after second. */
    async pass(seconds: number) {
      for (let i = 0; i < seconds; i++) {
        for (let turns = 0; turns < 20; turns++) await Promise.resolve();
        clock.advance(1_000);
        for (let turns = 0; turns < 20; turns++) await Promise.resolve();
      }
    },
  };
}
const refuse = () => Promise.reject(new FarmError("UNAVAILABLE", "the store cannot be reached"));
const hang = () => new Promise<never>(() => {});

test("a store is told to be away after a moment without an answer, once, and to be back at once", async () => {
  const { store, pass, told } = watched(3_000);
  await pass(5);
  store(refuse);
  await pass(2);
  expect(told).toEqual([]);
  await pass(6);
  expect(told).toEqual([false]);
  store(async () => []);
  await pass(1);
  expect(told).toEqual([false, true]);
});

test("a blip is told to nobody, however often it comes", async () => {
  const { store, pass, told } = watched(3_000);
  for (let i = 0; i < 5; i++) {
    store(refuse);
    await pass(2);
    store(async () => []);
    await pass(1);
  }
  expect(told).toEqual([]);
});

test("a store that does not answer at all is away too", async () => {
  const { store, pass, told, asked } = watched(3_000);
  store(hang);
  await pass(10);
  expect(told).toEqual([false]);
  expect(asked()).toBeLessThan(6); // each question has its 2 s
  store(async () => []);
  await pass(4);
  expect(told).toEqual([false, true]);
});
