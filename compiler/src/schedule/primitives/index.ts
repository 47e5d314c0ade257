/** The primitives. Adding one is a file and a line here. */
import { bind } from "./bind.ts";
import { cacheRead } from "./cache-read.ts";
import { cacheWrite } from "./cache-write.ts";
import { computeAt } from "./compute-at.ts";
import { computeInline } from "./compute-inline.ts";
import { decomposeReduction } from "./decompose-reduction.ts";
import { doubleBuffer } from "./double-buffer.ts";
import { fuse } from "./fuse.ts";
import { minBlocks } from "./min-blocks.ts";
import { parallel } from "./parallel.ts";
import { pipeline } from "./pipeline.ts";
import { pragma } from "./pragma.ts";
import { reorder } from "./reorder.ts";
import { reverseComputeAt } from "./reverse-compute-at.ts";
import { reverseComputeInline } from "./reverse-compute-inline.ts";
import { rfactor } from "./rfactor.ts";
import { setScope } from "./set-scope.ts";
import { split } from "./split.ts";
import { storageAlign } from "./storage-align.ts";
import { swizzle } from "./swizzle.ts";
import { tensorize } from "./tensorize.ts";
import { tile } from "./tile.ts";
import { transformLayout } from "./transform-layout.ts";
import { unroll } from "./unroll.ts";
import { vectorize } from "./vectorize.ts";

export const primitives = {
  split,
  fuse,
  reorder,
  tile,
  bind,
  unroll,
  vectorize,
  parallel,
  pragma,
  computeAt,
  computeInline,
  cacheRead,
  cacheWrite,
  setScope,
  storageAlign,
  tensorize,
  transformLayout,
  decomposeReduction,
  rfactor,
  reverseComputeAt,
  reverseComputeInline,
  doubleBuffer,
  pipeline,
  swizzle,
  minBlocks,
} as const;

export type PrimitiveName = keyof typeof primitives;
