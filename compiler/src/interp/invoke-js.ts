/**
 * An intrinsic's call as JavaScript: the loops of its meaning over its tiles. In a launch a team does it once: lane 0 runs it,
 * and every other lane must make the same calls with the same tiles (`wl32` lists those of a team of 32, `wp32` is this lane's
 * position). A lane that does not is refused, because the hardware's behaviour would be undefined.
 */

import { teamSize } from "../ir/agent.ts";
import { bufferStrides } from "../ir/buffer.ts";
import * as b from "../ir/build.ts";
import { combine, identityOf } from "../ir/combiner.ts";
import type { Expr, Load, Var } from "../ir/expr.ts";
import { type IntrinsicOperand, operandsOf, tensorOf } from "../ir/intrinsic.ts";
import type { Invoke, Tile } from "../ir/stmt.ts";
import { rewriteExpr } from "../ir/visit.ts";
import { exprText, type Namer } from "./expr-js.ts";

const loopText = (names: readonly string[], extents: readonly number[], body: string): string =>
  names.reduceRight((inner, name, i) => `for(let ${name}=0;${name}<${extents[i]};${name}++){${inner}}`, body);

function offsetText({ buffer, indices }: Tile, names: Namer): string {
  const strides = bufferStrides(buffer);
  return indices.map((index, d) => `(${exprText(index, names)})*${strides[d]}`).join("+");
}

/** The loops that do the work. b0, b1 ...: the first elements' places. */
function workText({ intrinsic, form, tiles }: Invoke, names: Namer): string {
  const { op } = intrinsic;
  const operands = operandsOf(intrinsic, form);
  const flat = operands.map((operand) => ({ ...tensorOf(intrinsic, operand), shape: [1] }));
  const accumulator = b.variable("acc", op.output.dtype);
  const bases = operands.map((_, k) => b.variable(`b${k}`));
  const variables = new Map<Var, string>([[accumulator, "acc"], ...bases.map((v, k) => [v, `b${k}`] as const)]);
  const axes = op.axes.map(({ loopVar }, i) => {
    variables.set(loopVar, `t${i}`);
    return `t${i}`;
  });
  const reduce = op.reduce.map(({ loopVar }, i) => {
    variables.set(loopVar, `r${i}`);
    return `r${i}`;
  });
  const own: Namer = {
    table: (t) => names.table(t),
    variable: (v) => variables.get(v) ?? names.variable(v),
    buffer: (tensor) => `F${names.buffer((tiles[flat.indexOf(tensor as (typeof flat)[number])] as Tile).buffer)}`,
  };
  const place = (k: number, indices: readonly Expr[]): Expr =>
    indices.reduce<Expr>(
      (sum, index, d) => b.add(sum, b.mul(index, b.int((tiles[k] as Tile).strides[d] as number))),
      bases[k] as Var,
    );
  const loaded = (e: Load): Expr => {
    const k = operands.findIndex((operand) => tensorOf(intrinsic, operand) === e.buffer);
    return b.load(flat[k] as (typeof flat)[number], [place(k, e.indices)]);
  };
  const out = operands.length - 1;
  const outPlace = exprText(
    place(
      out,
      op.axes.map((a) => a.loopVar),
    ),
    own,
  );
  const store = (value: string): string =>
    `SF${names.buffer((tiles[out] as Tile).buffer)}(${outPlace},${op.output.dtype === "bool" ? `+(${value})` : value});`;
  const over = (body: string): string =>
    loopText(
      axes,
      op.axes.map((a) => a.extent),
      body,
    );
  const start = op.combiner && identityOf(op.combiner, op.output.dtype);
  if (form === "init" && start) return over(store(exprText(start, own)));
  const body = rewriteExpr(op.body, (e) => (e.kind === "Load" ? loaded(e) : e));
  if (!op.combiner || !start) return over(store(exprText(body, own)));
  const from =
    form === "update"
      ? exprText(
          b.load(flat[out] as (typeof flat)[number], [
            place(
              out,
              op.axes.map((a) => a.loopVar),
            ),
          ]),
          own,
        )
      : exprText(start, own);
  const step = `acc=${exprText(combine(op.combiner, accumulator, body), own)};`;
  const extents = op.reduce.map((a) => a.extent);
  return over(`let acc=${from};${loopText(reduce, extents, step)}${store("acc")}`);
}

export function invokeText(s: Invoke, names: Namer, launched: boolean): string {
  const places = s.tiles.map((tile, k) => `const b${k}=${offsetText(tile, names)};`);
  const operands = operandsOf(s.intrinsic, s.form);
  const aligned = operands.map((operand: IntrinsicOperand, k) =>
    operand.offsetFactor > 1
      ? `if(b${k}%${operand.offsetFactor})env.tileAlignment(${names.buffer((s.tiles[k] as Tile).buffer)},b${k},${operand.offsetFactor});`
      : "",
  );
  const work = workText(s, names);
  if (!launched) return `{${places.join("")}${aligned.join("")}${work}}`;
  const tiles = s.tiles.map((_, k) => `b${k}`);
  const { agent } = s.intrinsic;
  const size = teamSize[agent];
  const push = tiles.map((place) => `wl${size}.push(${place});`).join("");
  const compare = tiles.map((place) => `if(wl${size}[wp${size}++]!==${place})env.teamDivergence("${agent}");`).join("");
  return `{${places.join("")}${aligned.join("")}if(T%${size}){${compare}}else{${push}wp${size}=wl${size}.length;${work}}}`;
}
