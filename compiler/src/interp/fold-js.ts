/**
 * A Fold over lanes as JavaScript: at each distance the new value of a thread combines its old value with its neighbour's.
 */
import { bufferSpan } from "../ir/buffer.ts";
import * as b from "../ir/build.ts";
import { combine } from "../ir/combiner.ts";
import type { Var } from "../ir/expr.ts";
import type { Fold } from "../ir/stmt.ts";
import { InterpError } from "./error.ts";
import { exprText } from "./expr-js.ts";

export function foldText({ combiner, buffer, lanes }: Fold, n: number, threads: number): string {
  if (lanes === undefined)
    throw new InterpError("interp.dialect", `"${buffer.name}" is folded over an axis in a launched kernel`);
  const span = bufferSpan(buffer);
  const [x, y] = [b.variable("x", buffer.dtype), b.variable("y", buffer.dtype)];
  const names = { variable: (v: Var) => (v === x ? "fv[t]" : "fv[o]"), buffer: () => n, table: () => "" };
  const step = exprText(combine(combiner, x, y), names);
  const exchange =
    `const fv=[],fg=[];for(let t=0;t<${threads};t++){fv.push(d${n}[t*${span}+i]);fg.push(g${n}[t*${span}+i]===e${n});}` +
    `for(let t=0;t<${threads};t++){const o=t^d;if(o>=${threads})env.noLane(${n},t,o);` +
    `const known=fg[t]&&fg[o];d${n}[t*${span}+i]=known?${step}:0;g${n}[t*${span}+i]=known?e${n}:0;}`;
  return `for(let i=0;i<${span};i++)for(let d=${lanes / 2};d>=1;d/=2){${exchange}}`;
}
