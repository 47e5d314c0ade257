/**
 * A Fold as JavaScript. Over lanes: at each distance the new value of a thread combines its old value with its neighbour's. Over
 * blocks: each gives what the first thread of each row has, and all threads combine what the row's blocks have given.
 */
import { bufferSpan } from "../ir/buffer.ts";
import * as b from "../ir/build.ts";
import { combine } from "../ir/combiner.ts";
import type { Var } from "../ir/expr.ts";
import type { Fold } from "../ir/stmt.ts";
import { InterpError } from "./error.ts";
import { exprText } from "./expr-js.ts";

interface FoldedThreads {
  readonly all: number;
  /** Of a row: threads that threadIdx.x tells apart. */
  readonly row: number;
}

export function foldText({ combiner, buffer, lanes, exchange }: Fold, n: number, { all: threads, row }: FoldedThreads): string {
  const span = bufferSpan(buffer);
  const [x, y] = [b.variable("x", buffer.dtype), b.variable("y", buffer.dtype)];
  const stepOf = (one: string, other: string): string => {
    const names = { variable: (v: Var) => (v === x ? one : other), buffer: () => n, table: () => "" };
    return exprText(combine(combiner, x, y), names);
  };
  if (exchange)
    return (
      `{const own=[];for(let j=0;j<${threads * span};j+=${row * span})for(let i=j;i<j+${span};i++)own.push(g${n}[i]===e${n}?d${n}[i]:undefined);` +
      `const given=yield* env.given(own);for(let j=0;j<${threads * span};j++){const o=Math.floor(j/${row * span})*${span}+j%${span};` +
      `let x=given[0][o];for(let r=1;r<given.length;r++){const y=given[r][o];x=x===undefined||y===undefined?undefined:${stepOf("x", "y")};}` +
      `d${n}[j]=x??0;g${n}[j]=x===undefined?0:e${n};}}`
    );
  if (lanes === undefined)
    throw new InterpError("interp.dialect", `"${buffer.name}" is folded over an axis in a launched kernel`);
  const step = stepOf("fv[t]", "fv[o]");
  const swap =
    `const fv=[],fg=[];for(let t=0;t<${threads};t++){fv.push(d${n}[t*${span}+i]);fg.push(g${n}[t*${span}+i]===e${n});}` +
    `for(let t=0;t<${threads};t++){const o=t^d;if(o>=${threads})env.noLane(${n},t,o);` +
    `const known=fg[t]&&fg[o];d${n}[t*${span}+i]=known?${step}:0;g${n}[t*${span}+i]=known?e${n}:0;}`;
  return `for(let i=0;i<${span};i++)for(let d=${lanes / 2};d>=1;d/=2){${swap}}`;
}
