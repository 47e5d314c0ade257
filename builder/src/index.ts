export type { Artifact, BuildExecutor, BuildRequest, BuildResult } from "./build-executor.ts";
export { type LocalBuilder, type LocalBuilderOptions, openLocalBuilder } from "./local-builder.ts";
export { type BuilderOptions, builderMain } from "./main.ts";
export { cudaHomes } from "./toolchain/cuda/find-libraries.ts";
export { buildPtx } from "./toolchain/cuda/ptx.ts";
export { type Found, findCudaToolchain, findToolchains } from "./toolchain/index.ts";
export type { ToolchainFacts } from "./toolchain/toolchain.ts";
