/** The part that needs Node and processes. Imports only node: and this package. */

export { isDiskFull } from "../farm-error.ts";
export { type CallOptions, type CallOutcome, ChildHost } from "./child-host.ts";
export { executableOn } from "./executable-on.ts";
export { exitWithParent, lineFromParent } from "./exit-with-parent.ts";
export { FileCache } from "./file-cache.ts";
export { encodeFrame } from "./frames.ts";
export { HostLock } from "./host-lock.ts";
export { bindLibc } from "./libc.ts";
export { logSink } from "./line-sink.ts";
export { type LockFile, type LockHolder, lockFile, lockHolder } from "./lock-file.ts";
export { LockPatience } from "./lock-patience.ts";
export { type LoweringTold, reportLowering } from "./lowering-report.ts";
export { moduleBeside } from "./module-beside.ts";
export { type PackedStore, packedStore, unpackStore } from "./packed-store.ts";
export { killGroup, trackGroup } from "./process-group.ts";
export { replaceFile } from "./replace-file.ts";
export { findLayers } from "./sandbox/find-layers.ts";
export { confines, describeLayers, installationOf, type Layers, noSandbox, type Sandbox } from "./sandbox/sandbox.ts";
export { settle } from "./sandbox/seccomp.ts";
export { serveRequests, untilWanted } from "./serve.ts";
export { shutdownSignal } from "./shutdown.ts";
export { makeWorkDirectory } from "./work-directory.ts";
