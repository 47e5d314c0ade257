/**
 * Convolution NHWC as a matrix product for tensor cores: rows are the pixels of all images, columns the output channels, and the
 * sum goes over (row of the tap, column of the tap, input channel) as one. Neither operand is stored so: `pixels` and `taps` are
 * views, inlined into the copies to shared memory, which are zero beyond the border and beyond whole tiles. No extent need divide
 * anything; runs of channels stay runs.
 */
import {
  add,
  at,
  compute,
  type Expr,
  floorDiv,
  floorMod,
  type Graph,
  graphOf,
  greaterEqual,
  less,
  matmul,
  mul,
  placeholder,
  type Schedule,
  sub,
} from "@warpfarm/compiler/language";
import { exactly } from "../exactly.ts";
import { type ConvArgs, convPlaces } from "./conv-args.ts";
import { halvesAtOnce, paddedSide, paddedSum, zeroBeyond } from "./padded.ts";
import type { WarpOperands } from "./product-of-tiles.ts";

export function nhwcRowsGraph(args: ConvArgs): Graph {
  const { N, H, W: width, CI, CO, KH, KW, stride, dilation, padding } = args;
  const [OH, OW] = convPlaces(args);
  const A = placeholder("A", [N, H, width, CI], "float16");
  const W = placeholder("W", [KH, KW, CI, CO], "float16");
  const [P, F, K] = [paddedSide(N * OH * OW), paddedSide(CO), paddedSum(KH * KW * CI)];
  const tapOf = (k: Expr) => [floorDiv(k, KW * CI), floorMod(floorDiv(k, CI), KW), floorMod(k, CI)] as const;
  const pixelAxes = [
    ["p", P.padded],
    ["k", K.padded],
  ] as const;
  const pixels = compute("pixels", pixelAxes, (p, k) => {
    const [r, s, c] = tapOf(k);
    const y = sub(add(mul(floorMod(floorDiv(p, OW), OH), stride[0]), mul(r, dilation[0])), padding[0]);
    const x = sub(add(mul(floorMod(p, OW), stride[1]), mul(s, dilation[1])), padding[1]);
    const extents = [
      [p, P],
      [k, K],
    ] as const;
    const isPadded = padding.some((side) => side > 0);
    const inside = isPadded ? [greaterEqual(y, 0), less(y, H), greaterEqual(x, 0), less(x, width)] : [];
    return zeroBeyond(at(A, floorDiv(p, OH * OW), y, x, c), extents, inside);
  });
  const tapAxes = [
    ["k", K.padded],
    ["f", F.padded],
  ] as const;
  const taps = compute("taps", tapAxes, (k, f) =>
    zeroBeyond(at(W, ...tapOf(k), f), [
      [k, K],
      [f, F],
    ]),
  );
  const sums = matmul(pixels, taps, { name: "sums", outDtype: "float32" });
  const axes = [
    ["n", N],
    ["y", OH],
    ["x", OW],
    ["f", CO],
  ] as const;
  return graphOf([A, W], [compute("Conv", axes, (n, y, x, f) => at(sums, add(mul(add(mul(n, OH), y), OW), x), f))]);
}

/** The operands of the product. */
export function nhwcRows(sch: Schedule, { CI, CO }: ConvArgs): WarpOperands & { readonly copied: readonly [number, number] } {
  const out = sch.stage("Conv");
  const [n, y, x, f] = exactly(4, sch.axes(out));
  const [a, b] = [sch.stage("pixels"), sch.stage("taps")];
  for (const view of [a, b]) sch.computeInline(view);
  return {
    ...{ out, rows: sch.fuse([n, y, x]), columns: f, a, b, dtype: "float16", layout: "NN" },
    copied: [halvesAtOnce(CI), halvesAtOnce(CO)],
  };
}
