/** Makes a computation again, stage by stage, where a rule writes some stages in another way. */
import {
  type Axis,
  at,
  type Buffer,
  type Combiner,
  type ComputeOp,
  type Expr,
  floorDiv,
  floorMod,
  type Graph,
  graphOf,
  maxOf,
  minOf,
  productOf,
  type Reduction,
  remade,
  rewriteExpr,
  sum,
} from "@warpfarm/compiler/language";

export const combiners: Record<Combiner, (body: Expr, axes: readonly Axis[]) => Reduction> = {
  sum,
  max: maxOf,
  min: minOf,
  prod: productOf,
};

export const namesOf = ({ axes }: ComputeOp) => axes.map(({ loopVar, extent }) => [loopVar.name, extent] as const);

/** Values of a number's digits, the last fastest. */
export function decode(number: Expr, extents: readonly number[]): readonly Expr[] {
  let stride = extents.reduce((a, b) => a * b, 1);
  return extents.map((extent, i) => {
    stride /= extent;
    const high = stride === 1 ? number : floorDiv(number, stride);
    return i > 0 ? floorMod(high, extent) : high;
  });
}

export class Remaking {
  readonly #now = new Map<Buffer, Buffer>();
  readonly #names: Set<string>;

  constructor({ inputs, ops }: Graph) {
    this.#names = new Set([...inputs, ...ops.map(({ output }) => output)].map(({ name }) => name));
  }

  /** The tensor in the new computation. */
  now = (buffer: Buffer): Buffer => this.#now.get(buffer) ?? buffer;

  set(buffer: Buffer, now: Buffer): void {
    this.#now.set(buffer, now);
  }

  graph = ({ inputs, outputs }: Graph): Graph => graphOf(inputs, outputs.map(this.now));

  /** A name that the graph does not have, of at most 64 letters. */
  fresh(name: string): string {
    let found = name.slice(-64);
    for (let n = 2; this.#names.has(found); n++) found = `${name.slice(-60)}_${n}`;
    this.#names.add(found);
    return found;
  }

  /** The expression with other variables, of the new tensors. `load` may give another for a load, whose indices are still old. */
  put(e: Expr, vars: ReadonlyMap<Expr, Expr>, load: (old: Buffer) => Expr | undefined = () => undefined): Expr {
    return rewriteExpr(e, (part) => {
      if (part.kind === "Load") return load(part.buffer) ?? at(this.now(part.buffer), ...part.indices);
      return vars.get(part) ?? part;
    });
  }

  copy = (op: ComputeOp): Buffer => remade(op, op.output.name, (e) => this.put(e, new Map()));
}
