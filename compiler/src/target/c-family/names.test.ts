import { expect, it } from "vitest";
import { Names } from "./names.ts";
import { Prelude } from "./prelude.ts";

it("a name is taken until its scope closes, and free again after it, each time", () => {
  const names = new Names();
  const [a, b, c] = [{}, {}, {}];
  for (let round = 0; round < 2; round++) {
    expect([names.declare(a, "i"), names.declare(b, "i"), names.declare(c, "i")]).toEqual(["i", "i_1", "i_2"]);
    names.release(b);
    expect([names.get(b), names.declare(b, "i")]).toEqual(["", "i_1"]);
    for (const each of [a, b, c]) names.release(each);
  }
  names.reserve("i");
  expect([names.declare(a, "i"), names.declare(b, "int"), names.declare(c, "9 lives")]).toEqual(["i_1", "int_1", "_9_lives"]);
});

it("what is used is known, released or not, and every change of a name counts", () => {
  const names = new Names();
  const [a, b] = [{}, {}];
  const changes = [() => names.declare(a, "x"), () => names.setText(b, "v.lane[0]"), () => names.release(a), () => names.get(b)];
  expect(
    changes.map((change) => {
      const before = names.changes;
      change();
      return names.changes - before;
    }),
  ).toEqual([1, 1, 1, 0]);
  expect([names.isUsed(a), names.isUsed(b)]).toEqual([false, true]);
});

it("a helper of one name and another meaning gets a number, and each text stands once", () => {
  const prelude = new Prelude(() => undefined);
  const text = (body: string) => (name: string) => `void ${name}() { ${body} }`;
  const made = ["a", "b", "c", "b", "a"].map((body) => prelude.define("f", text(body)));
  expect(made).toEqual(["f", "f_1", "f_2", "f_1", "f"]);
  expect(prelude.text).toBe("void f() { a }\nvoid f_1() { b }\nvoid f_2() { c }");
});

it("helpers stand behind those that they need, once, and one that nobody knows is a fault", () => {
  const known: Readonly<Record<string, { readonly needs?: readonly string[]; readonly text: string }>> = {
    a: { needs: ["b", "c"], text: "A" },
    b: { needs: ["c"], text: "B" },
    c: { text: "C" },
  };
  const prelude = new Prelude((name) => known[name]);
  for (const name of ["a", "c", "a"]) expect(prelude.use(name)).toBe(name);
  expect(prelude.text).toBe("C\nB\nA");
  expect(() => prelude.use("d")).toThrow("no helper d");
});
