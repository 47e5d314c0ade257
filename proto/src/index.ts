/** The wire. */

export type {
  Assignment,
  BuilderFacts,
  BuildJob,
  DesiredState,
  FreeSlots,
  Outcome,
  OutcomeKind,
  PairedJob,
  Registered,
  Registration,
  RunJob,
  RunnerDevice,
  RunnerFacts,
  SyncReply,
  SyncRequest,
} from "@warpfarm/common";
export {
  type EndedLease,
  endedLeaseToWire,
  type Garbage,
  garbageToWire,
  keepFromWire,
  type SessionStatus,
  sessionStatusToWire,
} from "./convert/admin.ts";
export {
  type Incumbent,
  type MeasureEvent,
  type MeasureRequest,
  maxMaxInFlight,
  measureEventFromWire,
  measureEventToWire,
  measureRequestFromWire,
  measureRequestToWire,
  mostMoreTrials,
  type OpenedSession,
  type OpenSession,
  type OutstandingInput,
  openedSessionFromWire,
  openedSessionToWire,
  openSessionFromWire,
  openSessionToWire,
  type SessionControl,
} from "./convert/farm.ts";
export { clip } from "./convert/fields.ts";
export { type DocumentError, decodeManifest, encodeManifest } from "./convert/manifest.ts";
export {
  deviceFactsFromWire,
  deviceFactsToWire,
  limits,
  measureOptionsFromWire,
  measureOptionsToWire,
  measureResultFromWire,
  measureResultToWire,
  type ProgramRef,
  programRefFromWire,
  programRefToWire,
} from "./convert/measure.ts";
export { type ProgramEnvelope, programEnvelope } from "./convert/program.ts";
export { workOfProgram } from "./convert/program-work.ts";
export { type Proposal, type Provenance, type RecordsKept, recordsKept } from "./convert/provenance.ts";
export {
  bestFromWire,
  bestQueryFromWire,
  bestQueryToWire,
  bestToWire,
  filterFromWire,
  filterToWire,
  importFromText,
  inOneMessage,
  queryFromWire,
  queryToWire,
  recordBytesAtOnce,
  recordIdFromWire,
  recordsAtOnce,
  retentionFromWire,
  retentionToWire,
} from "./convert/record.ts";
export {
  type DeviceView,
  type FarmSnapshot,
  type NodeState,
  type NodeView,
  snapshotFromWire,
  snapshotToWire,
} from "./convert/snapshot.ts";
export {
  type Claim,
  type KeptSuite,
  type KeptTask,
  type NewSuite,
  suiteFromWire,
  suiteToWire,
  type TaskReport,
} from "./convert/suite.ts";
export * from "./convert/worker.ts";
export { type CallOptions, Channel, type ChannelOptions } from "./rpc/channel.ts";
export {
  type AdminClient,
  type ArtifactClient,
  chunkBytes,
  connect,
  type FarmClient,
  type TrackerConnection,
  type WorkerClient,
  type WorkerStream,
} from "./rpc/clients.ts";
export { type CredentialFiles, readCredentials, servesOthers } from "./rpc/credential-files.ts";
export {
  type Address,
  bearerOf,
  type ClientTls,
  certificateEndMs,
  certificateWarnings,
  isLoopback,
  parseAddress,
  parseAddresses,
  serverCredentials,
  type TlsFiles,
  tlsOptions,
} from "./rpc/credentials.ts";
export {
  certificateName,
  type Doors,
  localPrincipal,
  openDoors,
  type Principal,
  type Role,
  roles,
  type Shown,
} from "./rpc/doors.ts";
export { type EncodedMeasureEvent, measureEventToBytes, measureRequestFromBytes } from "./rpc/hot-messages.ts";
export { loadServices, protocolVersion, type Services } from "./rpc/load.ts";
export type { MessageCall, MessageHandler } from "./rpc/message-call.ts";
export { maxMessageBytes } from "./rpc/message-limit.ts";
export {
  type AdminHandlers,
  type ArtifactHandlers,
  type FarmHandlers,
  type Handlers,
  livenessService,
  type RecordHandlers,
  type RpcServer,
  type ServeOptions,
  type SuiteHandlers,
  serve,
  type WorkerHandlers,
} from "./rpc/server.ts";
export { statusOf } from "./rpc/status.ts";
export type { SuiteClient } from "./rpc/suite-client.ts";
export type { Answer, CallContext } from "./rpc/types.ts";
export { openTracing } from "./trace/open-tracing.ts";
export {
  readTraceparent,
  type Span,
  type SpanOptions,
  siblingOf,
  spanIdOf,
  type Tracing,
  trialSpanId,
} from "./trace/tracing.ts";
