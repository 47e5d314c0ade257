export { openLocalBuilder } from "./local-builder.ts";
export { builderMain } from "./main.ts";
export { buildPtx } from "./toolchain/cuda/ptx.ts";
