/**
 * The lowering for CUDA on one screen. The order: intrinsics and tensor cores need intact loops. Copies for vthreads must exist
 * before threads are divided and indices flattened. Conditions are lifted while arrays still stand where they are made. simplify
 * dissolves loops of one iteration. Masks are parted while loops are not unrolled. Pass clampCopies lets threads write what their
 * neighbours write, so barriers come after it; they are placed while guards still stand at their statements and loops are not yet
 * repeated. Guards then move out as far as barriers allow. Kernels are split and checked before unrolling (target/index.ts):
 * unrolled copies add no new facts, only thousands of statements.
 */
import { pipeline } from "../../lower/pass.ts";
import { bulkCopies } from "../../lower/passes/bulk-copies.ts";
import { carryLoads } from "../../lower/passes/carry-loads.ts";
import { clampCopies } from "../../lower/passes/clamp-copies.ts";
import { flattenBuffers } from "../../lower/passes/flatten-buffers.ts";
import { foldThreads } from "../../lower/passes/fold-threads.ts";
import { hoistGuards } from "../../lower/passes/hoist-guards.ts";
import { injectVirtualThread } from "../../lower/passes/inject-virtual-thread.ts";
import { insertBarriers } from "../../lower/passes/insert-barriers.ts";
import { liftConditions } from "../../lower/passes/lift-conditions.ts";
import { lowerThreads } from "../../lower/passes/lower-threads.ts";
import { makeChannels } from "../../lower/passes/make-channels.ts";
import { partMasks } from "../../lower/passes/part-masks.ts";
import { placeWaits } from "../../lower/passes/place-waits.ts";
import { rootWorkspaces } from "../../lower/passes/root-workspaces.ts";
import { runAhead } from "../../lower/passes/run-ahead.ts";
import { simplify } from "../../lower/passes/simplify.ts";
import { splitRoles } from "../../lower/passes/split-roles.ts";
import { tensorCore } from "../../lower/passes/tensor-core.ts";
import { tensorize } from "../../lower/passes/tensorize.ts";
import { vectorize } from "../../lower/passes/vectorize.ts";
import { allDTypes } from "../c-family/types.ts";
import { cudaVectorBytes } from "./dtype.ts";

export const cudaPipeline = (capability: number) =>
  pipeline<"scheduled">()
    .add(bulkCopies(capability))
    .add(tensorize)
    .add(tensorCore(capability))
    .add(liftConditions)
    .add(rootWorkspaces)
    .add(injectVirtualThread)
    .add(lowerThreads)
    .add(foldThreads)
    .add(flattenBuffers)
    .add(makeChannels)
    .add(splitRoles)
    .add(runAhead(capability))
    .add(carryLoads)
    .add(simplify)
    .add(partMasks)
    .add(
      vectorize({
        maxBytes: cudaVectorBytes,
        dtypes: allDTypes,
        movesAlone: true,
      }),
    )
    .add(clampCopies)
    .add(insertBarriers)
    .add(hoistGuards)
    .add(placeWaits);
