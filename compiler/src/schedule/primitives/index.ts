/** The primitives. Adding one is a file and a line here. */
import { bind } from "./bind.ts";
import { cacheRead } from "./cache-read.ts";
import { cacheWrite } from "./cache-write.ts";
import { computeAt } from "./compute-at.ts";
import { computeInline } from "./compute-inline.ts";
import { fuse } from "./fuse.ts";
import { parallel } from "./parallel.ts";
import { pragma } from "./pragma.ts";
import { reorder } from "./reorder.ts";
import { split } from "./split.ts";
import { unroll } from "./unroll.ts";
import { vectorize } from "./vectorize.ts";

export const primitives = {
  split,
  fuse,
  reorder,
  bind,
  unroll,
  vectorize,
  parallel,
  pragma,
  computeAt,
  computeInline,
  cacheRead,
  cacheWrite,
} as const;

export type PrimitiveName = keyof typeof primitives;
