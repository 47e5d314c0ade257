/** The shapes of leave-one-out.mjs, and the names of their logs. */
import { shippedSuites } from "../../../client/dist/suite/shipped/index.js";

const product = (M, N, K) => [`${M}x${N}x${K}`, { M, N, K, layout: "NN", dtype: "float16" }];
/** @type {any} */
const { tasks } = shippedSuites.resnet50;
const convolutions = tasks.find((/** @type {{ task: string }} */ { task }) => task === "conv2d_nchw_gemm").shapes;

/**
 * Arguments by template and name of the shape.
 * @type {Record<string, Record<string, object>>}
 */
export const leaveOneOutShapes = {
  matmul_mma: Object.fromEntries([
    product(2048, 2048, 2048),
    product(1024, 4096, 1024),
    product(512, 4096, 4096),
    product(4096, 1024, 2048),
    product(3072, 3072, 768),
  ]),
  conv2d_nchw_gemm: Object.fromEntries(
    convolutions.map(({ label, count: _, ...args }) => [label.replace("->", "-").replace("/", " "), args]),
  ),
};

/** Without its ending. `what`: the number of trials of a first search, or the name of a second one. */
export const logName = (template, shape, what) => `left-${template}-${shape}-${what}`.replace(/[^\w-]+/g, "-");
