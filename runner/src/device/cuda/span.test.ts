/** What a span enqueues, in which order, and what the host's clock says of it. */
import { expect, test } from "vitest";
import type { CudaDriver } from "./driver.ts";
import { Span } from "./span.ts";

/** A device that takes 2 ms, once it may begin. */
function scripted() {
  let nowMs = 100;
  let beginsAt = 0;
  let events = 0;
  const order: string[] = [];
  const driver = {
    createEvent: () => BigInt(++events),
    destroyEvent: () => undefined,
    recordEvent: (event: bigint) => void order.push(`event ${event}`),
    synchronize: () => {
      order.push("synchronize");
      nowMs = Math.max(nowMs, beginsAt + 2);
    },
    elapsedMs: () => 2,
    now: () => nowMs,
  } as unknown as CudaDriver;
  const helpers = {
    stamp: (when: string) => void order.push(`stamp ${when}`),
    held: () => {
      order.push("held");
      const until = nowMs + 5;
      return () => {
        order.push("released");
        beginsAt = Math.min(nowMs, until);
      };
    },
  };
  /** The host needs so many milliseconds. */
  const enqueue = (ms: number) => () => {
    order.push("enqueue");
    nowMs += ms;
  };
  return { span: new Span(driver, 1n, helpers), order, enqueue };
}

test("the device begins when all is enqueued, stamps outside of the events", () => {
  const { span, order, enqueue } = scripted();
  expect(span.time(enqueue(3), () => order.push("meanwhile"))).toEqual({ ms: 2, hostMs: 2 });
  const inside = ["stamp before", "event 1", "enqueue", "event 2", "stamp after"];
  expect(order).toEqual(["held", ...inside, "released", "meanwhile", "synchronize"]);
});
test("the host counts from when the device began without it, where it enqueues for long", () => {
  const { span, enqueue } = scripted();
  expect(span.time(enqueue(7))).toEqual({ ms: 2, hostMs: 2 });
  expect(span.time(enqueue(30))).toEqual({ ms: 2, hostMs: 25 });
});
test("a launch that fails leaves nothing held", () => {
  const { span, order } = scripted();
  const fails = () => {
    throw new Error("launch");
  };
  expect(() => span.time(fails)).toThrow("launch");
  expect(order.at(-1)).toBe("released");
});
