/**
 * What the tensor-core convolutions NHWC share: the computation, and where its tensors lie while tensor cores work on them. Tiles
 * are 16x16, of batch by channels; arguments and result keep NHWC and HWIO.
 */
import {
  conv2dNhwc,
  type Expr,
  floorDiv,
  floorMod,
  type Graph,
  graphOf,
  indexMap,
  placeholder,
} from "@warpfarm/compiler/language";
import { type ConvArgs, ungroupedCheck, windowsOf } from "./conv-args.ts";

export const tile = 16;

const outer = (axis: Expr): Expr => floorDiv(axis, tile);
const inner = (axis: Expr): Expr => floorMod(axis, tile);

export const rowsOfChannels = indexMap(["n", "y", "x", "c"], (n, y, x, c) => [y, x, n, c]);
/** Tiles of batch by channels, of input and output. */
export const pixelTiles = indexMap(["n", "y", "x", "c"], (n, y, x, c) => [outer(n), y, x, outer(c), inner(n), inner(c)]);
export const weightTiles = indexMap(["ry", "rx", "c", "f"], (ry, rx, c, f) => [ry, rx, outer(c), outer(f), inner(c), inner(f)]);

/** `whose`: the name for the message of whatever needs whole tiles. */
export function wholeTilesCheck(args: ConvArgs, whose = "tiles"): string | undefined {
  const odd = (["N", "CI", "CO"] as const).find((name) => args[name] % tile !== 0);
  return odd === undefined ? ungroupedCheck(args) : `${odd} is ${args[odd]}; ${whose} need a multiple of ${tile}`;
}

export function nhwcGraph({ args }: { readonly args: ConvArgs }): Graph {
  const A = placeholder("A", [args.N, args.H, args.W, args.CI], "float16");
  const W = placeholder("W", [args.KH, args.KW, args.CI / args.groups, args.CO], "float16");
  return graphOf([A, W], [conv2dNhwc(A, W, { ...windowsOf(args), name: "Conv", padName: "Apad", outDtype: "float32" })]);
}
