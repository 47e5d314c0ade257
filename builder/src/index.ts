export type { Artifact, BuildExecutor, BuildRequest, BuildResult } from "./build-executor.ts";
export { type LocalBuilder, type LocalBuilderOptions, openLocalBuilder } from "./local-builder.ts";
export { type BuilderOptions, builderMain } from "./main.ts";
export { buildPtx } from "./toolchain/cuda/ptx.ts";
export type { ToolchainFacts } from "./toolchain/toolchain.ts";
