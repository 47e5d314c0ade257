import { expect, it } from "vitest";
import { Watches } from "./watches.ts";

it("each principal watches as often as the limit and not once more; what ends makes room for one, again and again", () => {
  const watches = new Watches(2);
  const [ada, bob] = (["ada", "bob"] as const).map((name) => ({ name, role: "client" }) as const);
  if (!ada || !bob) throw new Error("two");
  for (let cycle = 0; cycle < 3; cycle++) {
    const [first, second] = [watches.begin(ada), watches.begin(ada)];
    expect(() => watches.begin(ada)).toThrow("ada watches 2 times; --quota watches of this tracker allows 2: end some first");
    const others = [watches.begin(bob), watches.begin(bob)];
    first[Symbol.dispose]();
    const third = watches.begin(ada);
    expect(() => watches.begin(ada)).toThrow("ada watches 2 times");
    expect(() => watches.begin(bob)).toThrow("bob watches 2 times");
    for (const one of [second, third, ...others]) one[Symbol.dispose]();
  }
});

it("everybody's principal watches as often as it likes", () => {
  const watches = new Watches(1);
  for (let i = 0; i < 3; i++) watches.begin({ name: "local", role: "all" });
});
