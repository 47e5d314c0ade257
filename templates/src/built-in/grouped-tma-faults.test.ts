/** Faults planted in the copies of grouped_tma's kernel: its run or a rule notices each. */
import { Random } from "@warpfarm/common";
import { type Kernel, type TensorData, verifyKernels } from "@warpfarm/compiler";
import { add, floorMod, minimum, mul, sub } from "@warpfarm/compiler/language";
import { describe, expect, it } from "vitest";
import { kernelsOf, ofRows, rowsOf, target, taskOf, throughTiles } from "./grouped-tma.testing.ts";

type Stmt = Kernel["func"]["body"];
type BulkCopy = Extract<Stmt, { kind: "BulkCopy" }>;
type Expr = BulkCopy["origin"][number];

describe("planted faults are noticed", () => {
  const sizes = { count: 5, M: 72, N: 64, K: 72, layout: "NT", groups: 3 };
  const counts = [80, 0, 10];
  const knobs = { consumers: 2, producer: 24, epilogue: "tma" };
  const task = taskOf(sizes);
  const kernels = kernelsOf(task, knobs);
  const rows = rowsOf(new Random(7), counts, sizes.K);
  const { N, M, count } = sizes;

  /** `change`: another copy for one; at least one must change. */
  function planted(change: (copy: BulkCopy) => Partial<BulkCopy> | undefined): readonly Kernel[] {
    let changed = 0;
    const inner = ["body", "stmts", "producer", "consumers"];
    const run = (s: Stmt): object => {
      const other = s.kind === "BulkCopy" ? change(s) : undefined;
      if (other) changed++;
      const parts = Object.entries(s).map(([key, value]) => {
        if (!inner.includes(key)) return [key, value];
        return [key, Array.isArray(value) ? value.map(run) : run(value as Stmt)];
      });
      return { ...Object.fromEntries(parts), ...other };
    };
    const made = kernels.map((kernel) => ({ ...kernel, func: { ...kernel.func, body: run(kernel.func.body) as Stmt } }));
    expect(changed).toBeGreaterThan(0);
    return made;
  }
  /** As the interpreter of kernels tells it: right, wrong, or the rule that stopped it. */
  function verdictOn(made: readonly Kernel[]): string {
    try {
      const { inputs, got, unused } = throughTiles(task, made, sizes, counts, rows);
      expect(got).toEqual(ofRows(rows, counts, sizes, inputs.get("B") as TensorData));
      expect(unused.every((value) => value === 0)).toBe(true);
      return "right";
    } catch (error) {
      return /\[interp\.\w+/.exec(String(error))?.[0] ?? "wrong";
    }
  }
  const isOf = (copy: BulkCopy, name: string) => copy.tensor.buffer.name === name;
  const withFirst = (copy: BulkCopy, change: (z: Expr) => Expr) => {
    const [z, ...others] = copy.origin as [Expr, ...Expr[]];
    return { origin: [change(z), ...others] };
  };
  /** The coordinate with another element of the table. */
  const elsewhere = (e: Expr, change: (at: Expr) => Expr): Expr => {
    if (e.kind === "Load") return { ...e, indices: e.indices.map(change) };
    return "a" in e ? { ...e, a: elsewhere(e.a, change) } : e;
  };

  it("none", () => expect(verdictOn(kernels)).toBe("right"));
  it("the table is read a tile too far", () => {
    const made = planted((copy) =>
      isOf(copy, "B") ? withFirst(copy, (z) => elsewhere(z, (at) => minimum(add(at, 1), count - 1))) : undefined,
    );
    expect(verdictOn(made)).toBe("wrong");
  });
  it("the second tile of a group has the rows of the first", () => {
    const made = planted((copy) => (isOf(copy, "A") ? withFirst(copy, (z) => sub(z, floorMod(z, 2))) : undefined));
    expect(verdictOn(made)).toBe("wrong");
  });
  it("groups that have no rows are not counted", () => {
    const made = planted((copy) => (isOf(copy, "B") ? withFirst(copy, (z) => minimum(z, 1)) : undefined));
    expect(verdictOn(made)).toBe("wrong");
  });
  it("tiles store beyond their rows into those of a neighbour", () => {
    const whole = { dims: [count * M, N], strides: [N, 1] };
    const made = planted((copy) => {
      const [z, i, j] = copy.origin as [Expr, Expr, Expr];
      if (copy.direction === "in") return undefined;
      const tensor = { ...copy.tensor, ...whole, box: copy.tensor.box.slice(1) };
      return { tensor, origin: [add(mul(z, M), i), j] };
    });
    expect(verdictOn(made)).not.toBe("right");
  });
  it("the last step of the reduction reads on into the next row", () => {
    const made = planted((copy) => {
      if (copy.direction === "out") return undefined;
      const { dims } = copy.tensor;
      return { tensor: { ...copy.tensor, dims: dims.with(-1, 2 * 64) } };
    });
    expect(verdictOn(made)).not.toBe("right");
  });
  it("the table is read beyond its end, which also a rule refuses", () => {
    const made = planted((copy) => (isOf(copy, "B") ? withFirst(copy, (z) => elsewhere(z, (at) => add(at, 1))) : undefined));
    expect(verifyKernels(made, target)).toContainEqual({
      rule: "device.copy-engine",
      message: expect.stringContaining("from group [5] at"),
    });
    expect(verdictOn(made)).toBe("[interp.bounds");
  });
  it("the table is one that the kernel writes", () => {
    const made = planted((copy) => {
      const table = (e: Expr): Expr => (e.kind === "Load" ? { ...e, buffer: written } : "a" in e ? { ...e, a: table(e.a) } : e);
      const written = kernels[0]?.func.params.find(({ name }) => name === "C") as BulkCopy["tensor"]["buffer"];
      return isOf(copy, "B") ? withFirst(copy, table) : undefined;
    });
    expect(verifyKernels(made, target)).toContainEqual({
      rule: "device.copy-engine",
      message: expect.stringContaining("from C, which is no argument of the kernel, or which the kernel writes"),
    });
  });
});
