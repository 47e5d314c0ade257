/** The lowering for the CPU on one screen: the passes of CUDA without threads. */
import { pipeline } from "../../lower/pass.ts";
import { flattenBuffers } from "../../lower/passes/flatten-buffers.ts";
import { hoistGuards } from "../../lower/passes/hoist-guards.ts";
import { rootWorkspaces } from "../../lower/passes/root-workspaces.ts";
import { runAhead } from "../../lower/passes/run-ahead.ts";
import { simplify } from "../../lower/passes/simplify.ts";
import { vectorize } from "../../lower/passes/vectorize.ts";
import { cpuVectorDTypes } from "./dtype.ts";

export const cpuPipeline = (vectorBytes: number) =>
  pipeline<"scheduled">()
    .add(rootWorkspaces)
    .add(flattenBuffers)
    .add(runAhead())
    .add(simplify)
    .add(vectorize({ maxBytes: vectorBytes, dtypes: cpuVectorDTypes, movesAlone: false }))
    .add(hoistGuards);
