/** A box that the copy engine moves, as JavaScript, element by element. */
import { type Buffer, bufferStrides } from "../ir/buffer.ts";
import { boxElements } from "../ir/bulk.ts";
import type { Expr } from "../ir/expr.ts";
import type { BulkCopy, PixelWalk } from "../ir/stmt.ts";
import { exprText, type Namer } from "./expr-js.ts";

interface BulkNamer extends Namer {
  readonly isLaunched: boolean;
  ring(copied: Buffer): { readonly index: number; readonly ring: string | undefined };
}

/** From one pixel to the next. */
function walkText({ lower, upper, steps }: PixelWalk, [, height = 0, width = 0]: readonly number[]): string {
  const down = `o1+=${steps[0]};if(o1>${height - 1}+(${upper[0]})){o1=${lower[0]};o0+=1;}`;
  return `o2+=${steps[1]};if(o2>${width - 1}+(${upper[1]})){o2=${lower[1]};${down}}`;
}

export function bulkText(s: BulkCopy, names: BulkNamer): string {
  const { tensor, origin, shared, indices, direction, multicast, taps } = s;
  const { index: n, ring } = names.ring(shared);
  const global = names.buffer(tensor.buffer);
  const strides = bufferStrides(shared);
  const first = indices.map((e: Expr, d) => `(${exprText(e, names)})*${strides[d]}`).join("+");
  const at = tensor.box.map((_, d) => `x${d}`);
  const coordinates = taps ? ["o0", "(o1+tap0)", "(o2+tap1)", "(o3+x1)"] : at.map((x, d) => `(o${d}+${x})`);
  const inside = coordinates.map((x, d) => `${x}>=0&&${x}<${tensor.dims[d]}`).join("&&");
  const place = coordinates.map((x, d) => `${x}*${tensor.strides[d]}`).join("+");
  const dense = at.reduce((sum, x, d) => `(${sum})*${tensor.box[d]}+${x}`, "0");
  const isForAll = direction === "in" && multicast !== undefined && names.isLaunched;
  const one = isForAll
    ? `const v=${inside}?LF${global}(${place}):0;for(const land of all)land(f+${dense},v);`
    : direction === "in"
      ? `SF${n}(f+${dense},${inside}?LF${global}(${place}):0);`
      : `if(${inside})SF${global}(${place},LF${n}(f+${dense}));`;
  const boxed = at.slice(1).reduceRight((body, x, d) => `for(let ${x}=0;${x}<${tensor.box[d + 1]};${x}++){${body}}`, one);
  const loops = `for(let x0=0;x0<${tensor.box[0]};x0++){${boxed}${tensor.im2col ? walkText(tensor.im2col, tensor.dims) : ""}}`;
  const origins = [...origin.map((e, d) => ["o", d, e] as const), ...(taps ?? []).map((e, d) => ["tap", d, e] as const)]
    .map(([letter, d, e]) => `let ${letter}${d}=${exprText(e, names)};`)
    .join("");
  const landed = isForAll
    ? `const all=env.landedInAll(${ring},${n},f,${boxElements(s)},${JSON.stringify(multicast)});`
    : direction === "in" && ring
      ? `env.landed(${ring},${n},f,${boxElements(s)});`
      : "";
  return `{${origins}const f=${first};${landed}${loops}}`;
}
