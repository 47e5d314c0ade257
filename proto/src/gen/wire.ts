// npm run gen: from proto/warpfarm
import type { MethodDefinition } from "@grpc/proto-loader";

/** A message for an encoder: what is missing has its default. */
export type Sent<T> = T extends Uint8Array
  ? Uint8Array
  : T extends readonly (infer E)[]
    ? Sent<E>[]
    : T extends object
      ? { [K in keyof T]?: Sent<T[K]> }
      : T;

export interface Method<Req, Res> extends MethodDefinition<Sent<Req>, Sent<Res>, Req, Res> {}
export interface Unary<Req, Res> extends Method<Req, Res> { readonly requestStream: false; readonly responseStream: false }
export interface ClientStream<Req, Res> extends Method<Req, Res> { readonly requestStream: true; readonly responseStream: false }
export interface ServerStream<Req, Res> extends Method<Req, Res> { readonly requestStream: false; readonly responseStream: true }
export interface Bidi<Req, Res> extends Method<Req, Res> { readonly requestStream: true; readonly responseStream: true }

export type AdminService = {
  DrainNode: Unary<DrainNodeRequest, DrainNodeResponse>;
  ListSessions: Unary<ListSessionsRequest, ListSessionsResponse>;
  ListLeases: ServerStream<ListLeasesRequest, ListLeasesResponse>;
  CancelSession: Unary<CancelSessionRequest, CancelSessionResponse>;
  PauseSession: Unary<PauseSessionRequest, PauseSessionResponse>;
  ExtendSession: Unary<ExtendSessionRequest, ExtendSessionResponse>;
  CollectGarbage: Unary<CollectGarbageRequest, CollectGarbageResponse>;
};

export interface DrainNodeRequest {
  node: string;
  undo: boolean;
  forget: boolean;
}

export interface DrainNodeResponse {
  workers: number;
  running: number;
}

export interface ListSessionsRequest {
}

export interface ListSessionsResponse {
  sessions: SessionStatus[];
}

export interface SessionStatus {
  session_id: string;
  task: string;
  selector: string;
  priority: number;
  weight: number;
  accepted: number;
  building: number;
  ready: number;
  running: number;
  device_time: Duration | null;
  age: Duration | null;
  streaming: boolean;
  expires_in: Duration | null;
  principal: string;
  paused: boolean;
  more_trials: number;
  takes_trials: boolean;
  waiting: Waiting | null;
  queue_time: Duration | null;
  build_time: Duration | null;
  transfer_time: Duration | null;
  timed_time: Duration | null;
}

export interface ListLeasesRequest {
}

export interface ListLeasesResponse {
  leases: EndedLease[];
}

export interface EndedLease {
  end_ms: number;
  held_ms: number;
  node: string;
  device: string;
  device_name: string;
  session_id: string;
  sequence: number;
  outcome: string;
  queue_ms: number;
  build_ms: number;
  transfer_ms: number;
  timed_ms: number;
}

export interface Waiting {
  holds: Hold[];
  share: number;
  due: number;
  before: number;
  starts_in: Duration | null;
  done_in: Duration | null;
}

export interface Hold {
  kind: string;
  what: string;
}

export interface CancelSessionRequest {
  session_id: string;
  reason: string;
}

export interface CancelSessionResponse {
  stopped: number;
  dropped: number;
}

export interface PauseSessionRequest {
  session_id: string;
  undo: boolean;
}

export interface PauseSessionResponse {
  waiting: number;
  running: number;
}

export interface ExtendSessionRequest {
  session_id: string;
  trials: number;
}

export interface ExtendSessionResponse {
  more_trials: number;
}

export interface CollectGarbageRequest {
  keep: Duration | null;
  dry_run: boolean;
}

export interface CollectGarbageResponse {
  builds: number;
  programs: number;
  blobs: number;
  bytes: number;
  requests: number;
}

export type ArtifactService = {
  Upload: ClientStream<UploadRequest, UploadResponse>;
  Download: ServerStream<DownloadRequest, DownloadResponse>;
  Stat: Unary<StatRequest, StatResponse>;
};

export interface UploadRequest {
  header?: UploadRequest_Header | null;
  chunk?: Buffer;
}

export interface UploadRequest_Header {
  digest: string;
  size: number;
}

export interface UploadResponse {
  stored: boolean;
}

export interface DownloadRequest {
  digest: string;
}

export interface DownloadResponse {
  chunk: Buffer;
}

export interface StatRequest {
  digests: string[];
}

export interface StatResponse {
  blobs: StatResponse_Blob[];
}

export interface StatResponse_Blob {
  digest: string;
  size: number;
}

export type FarmService = {
  OpenSession: Unary<OpenSessionRequest, OpenSessionResponse>;
  Measure: Bidi<MeasureRequest, MeasureResponse>;
  CloseSession: Unary<CloseSessionRequest, CloseSessionResponse>;
  SettleTrials: Unary<SettleTrialsRequest, SettleTrialsResponse>;
  ListNodes: Unary<ListNodesRequest, ListNodesResponse>;
};

export interface OpenSessionRequest {
  request_id: string;
  protocol_version: number;
  task: string;
  selector: string;
  options: MeasureOptions | null;
  priority: number;
  max_in_flight: number;
  labels: Record<string, string>;
  continues: string;
  weight: number;
  reuse: boolean;
  paired: PairedOptions | null;
  provenance: Provenance | null;
  keep: Keep;
}

export interface Provenance {
  search: string;
  space: string;
  default_seconds?: number;
  library_seconds?: number;
}

export type Keep = "KEEP_UNSPECIFIED" | "KEEP_SHARED" | "KEEP_PRIVATE" | "KEEP_NONE";

export interface OpenSessionResponse {
  session_id: string;
  max_in_flight: number;
  idle_timeout: Duration | null;
  selector: string;
  accepted_through: number;
  outstanding: OpenSessionResponse_Outstanding[];
  nodes: string[];
}

export interface OpenSessionResponse_Outstanding {
  sequence: number;
  program: string;
  reference: string;
}

export interface MeasureRequest {
  start?: MeasureRequest_Start | null;
  input?: MeasureRequest_Input | null;
  receipt?: MeasureRequest_Receipt | null;
  incumbent?: MeasureRequest_Incumbent | null;
}

export interface MeasureRequest_Start {
  session_id: string;
  resume_after: number;
  takes_control: boolean;
  takes_trials: boolean;
}

export interface MeasureRequest_Input {
  sequence: number;
  program: ProgramRef | null;
  reference: ProgramRef | null;
  others: ProgramRef[];
  avoid_nodes: string[];
  proposal: MeasureRequest_Proposal | null;
}

export interface MeasureRequest_Proposal {
  config: string;
  trial: number;
  told: number;
}

export interface MeasureRequest_Receipt {
  received_through: number;
  received: number[];
}

export interface MeasureRequest_Incumbent {
  key: string;
  name: string;
  seconds: number;
}

export interface MeasureResponse {
  accepted?: MeasureResponse_Accepted | null;
  result?: MeasureResponse_Result | null;
  control?: MeasureResponse_Control | null;
}

export interface MeasureResponse_Accepted {
  accepted_through: number;
}

export interface MeasureResponse_Result {
  sequence: number;
  result: MeasureResult | null;
}

export interface MeasureResponse_Control {
  paused: boolean;
  more_trials: number;
}

export interface CloseSessionRequest {
  session_id: string;
}

export interface CloseSessionResponse {
}

export interface SettleTrialsRequest {
  session_id: string;
  more_trials: number;
}

export interface SettleTrialsResponse {
  more_trials: number;
}

export interface ListNodesRequest {
}

export interface ListNodesResponse {
  snapshot: FarmSnapshot | null;
}

export interface FarmSnapshot {
  nodes: Node[];
  queues: Queue[];
  sessions: Session[];
}

export interface Node {
  worker_id: string;
  node: string;
  role: Node_Role;
  state: string;
  devices: Device[];
  slots: number;
  targets: string[];
  labels: Record<string, string>;
  last_seen: Timestamp | null;
  leases: number;
  reason: Reason | null;
  toolchains: string[];
}

export type Node_Role = "ROLE_UNSPECIFIED" | "ROLE_BUILDER" | "ROLE_RUNNER";

export interface Reason {
  what: string;
  detail: string;
}

export interface Device {
  facts: DeviceFacts | null;
  memory_bytes: number;
  busy: boolean;
  limits: Record<string, number>;
}

export interface Queue {
  key: string;
  waiting_builds: number;
  waiting_runs: number;
  running: number;
  oldest_build: Duration | null;
  oldest_run: Duration | null;
  devices: number;
  idle_devices: number;
  unread: string[];
}

export interface Session {
  session_id: string;
  task: string;
  selector: string;
  accepted: number;
  finished: number;
  principal: string;
}

export interface ProgramRef {
  json?: Buffer;
  digest?: string;
}

export type Timer = "TIMER_UNSPECIFIED" | "TIMER_CUDA_GRAPH" | "TIMER_EVENTS" | "TIMER_WALL";

export type L2 = "L2_UNSPECIFIED" | "L2_WARM" | "L2_FLUSHED";

export type Check = "CHECK_UNSPECIFIED" | "CHECK_NONE" | "CHECK_REFERENCE";

export type Inputs = "INPUTS_UNSPECIFIED" | "INPUTS_FULL" | "INPUTS_EXACT";

export type Power = "POWER_UNSPECIFIED" | "POWER_BURST" | "POWER_SUSTAINED" | "POWER_AS_ASKED";

export interface MeasureOptions {
  number: number;
  repeat?: number;
  min_repeat: Duration | null;
  build_timeout: Duration | null;
  run_timeout: Duration | null;
  cooldown: Duration | null;
  l2: L2;
  timer: Timer;
  check: Check;
  incumbent_seconds?: number;
  inputs: Inputs;
  power: Power;
  judged: boolean;
  precision?: number;
}

export interface PairedOptions {
  rounds: number;
  idle: Duration | null;
  sequential: boolean;
}

export interface DeviceFacts {
  key: string;
  name: string;
  uuid: string;
  node: string;
  driver: string;
}

export interface Observations {
  sm_clock_mhz?: number;
  memory_clock_mhz?: number;
  temperature_c?: number;
  power_w?: number;
  energy_j?: number;
  throttle_reasons: string[];
  sm_clock_low_mhz?: number;
  steady?: boolean;
  windows_waited?: number;
  repeats_thrown_away?: number;
}

export interface Mismatch {
  buffer: string;
  index: number;
  expected: number;
  got: number;
  count: number;
}

export type ErrorNo = "ERROR_NO_UNSPECIFIED" | "ERROR_NO_INSTANTIATION" | "ERROR_NO_COMPILE_HOST" | "ERROR_NO_COMPILE_DEVICE" | "ERROR_NO_RUNTIME_DEVICE" | "ERROR_NO_WRONG_ANSWER" | "ERROR_NO_BUILD_TIMEOUT" | "ERROR_NO_RUN_TIMEOUT" | "ERROR_NO_UNKNOWN";

export interface Judged {
  not: string;
  sets: number;
  commitment: string;
  audit: Judged_Audit | null;
  racecheck: string;
}

export interface Judged_Audit {
  sets: number;
  secret: string;
  scored: number[];
  unlike: number;
}

export interface MeasureResult {
  timed?: MeasureResult_Timed | null;
  failed?: MeasureResult_Failed | null;
  slower?: MeasureResult_Slower | null;
  build_time: Duration | null;
  run_time: Duration | null;
  finish_time: Timestamp | null;
  attempt: number;
  device: DeviceFacts | null;
  toolchain: string;
  lease: LeaseTimes | null;
}

export interface MeasureResult_Paired {
  artifact: string;
  costs: number[];
  number: number;
}

export interface MeasureResult_Timed {
  costs: number[];
  number: number;
  busy: Duration | null;
  checked: boolean;
  observations: Observations | null;
  artifact: string;
  paired: MeasureResult_Paired[];
  judged: Judged | null;
}

export interface MeasureResult_Slower {
  at_least: number;
  ran: MeasureResult_Timed | null;
}

export interface MeasureResult_Failed {
  error_no: ErrorNo;
  rule: string;
  message: string;
  log: string;
  mismatch: Mismatch | null;
  busy: Duration | null;
  failed_program?: number;
}

export interface LeaseTimes {
  queue: Duration | null;
  transfer: Duration | null;
  held: Duration | null;
}

export type RecordService = {
  Query: Unary<QueryRequest, QueryResponse>;
  Best: Unary<BestRequest, BestResponse>;
  Append: Unary<AppendRequest, AppendResponse>;
  Export: ServerStream<ExportRequest, ExportResponse>;
  Delete: Unary<DeleteRequest, DeleteResponse>;
  Share: Unary<ShareRequest, ShareResponse>;
  SignReceipt: Unary<SignReceiptRequest, SignReceiptResponse>;
  ListReceiptKeys: Unary<ListReceiptKeysRequest, ListReceiptKeysResponse>;
};

export interface Filter {
  ids: string[];
  task?: string;
  args?: string;
  template?: string;
  device?: string;
  device_name?: string;
  target?: string;
  program?: string;
  session?: string;
  by?: string;
  outcome?: string;
  origin?: string;
  since_ms?: number;
  until_ms?: number;
}

export interface QueryRequest {
  filter: Filter | null;
  order: string;
  limit: number;
  cursor: string;
  believed: boolean;
}

export interface QueryResponse {
  records: string[];
  next_cursor: string;
  waiting: number;
}

export interface BestRequest {
  task: string;
  args: string;
  device?: string;
  device_name?: string;
  origin: string;
  l2: string;
  unchecked: boolean;
}

export interface Contender {
  record: string;
  seconds: number;
  measurements: number;
}

export interface Best {
  device: string;
  device_name: string;
  noise: number;
  computation: string;
  tied: Contender[];
  interleaved: number;
}

export interface BestResponse {
  best: Best[];
  waiting: number;
}

export interface AppendRequest {
  records: string[];
}

export interface AppendResponse {
  added: number;
  existed: number;
  conflicts: string[];
}

export interface ExportRequest {
  filter: Filter | null;
}

export interface ExportResponse {
  records: string[];
  waiting: number;
}

export interface DeleteRequest {
  filter: Filter | null;
  retention: Retention | null;
}

export interface Retention {
  failures_ms?: number;
  age_ms?: number;
  most?: number;
  keep_best?: number;
}

export interface DeleteResponse {
  deleted: number;
}

export interface ShareRequest {
  filter: Filter | null;
}

export interface ShareResponse {
  shared: number;
}

export interface SignReceiptRequest {
  record: string;
  without_documents: boolean;
}

export interface SignReceiptResponse {
  receipt: string;
}

export interface ListReceiptKeysRequest {
}

export interface ReceiptKey {
  id: string;
  pem: string;
  since_ms: number;
  until_ms?: number;
}

export interface ListReceiptKeysResponse {
  keys: ReceiptKey[];
}

export type SuiteService = {
  Create: Unary<CreateRequest, CreateResponse>;
  Get: Unary<GetRequest, GetResponse>;
  Watch: ServerStream<WatchRequest, WatchResponse>;
  Claim: Unary<ClaimRequest, ClaimResponse>;
  Report: Unary<ReportRequest, ReportResponse>;
  Cancel: Unary<CancelRequest, CancelResponse>;
};

export interface CreateRequest {
  request_id: string;
  name: string;
  plan: Buffer;
  tasks: NewTask[];
}

export interface NewTask {
  task_id: string;
  document: Buffer;
  template: string;
}

export interface CreateResponse {
  suite_id: string;
}

export interface GetRequest {
  suite_id: string;
  log_of: string;
  log_from: number;
}

export interface GetResponse {
  suite: Suite | null;
  log: Buffer;
}

export interface Suite {
  suite_id: string;
  name: string;
  principal: string;
  plan: Buffer;
  cancelled: boolean;
  tasks: Task[];
  task_count: number;
  ended_count: number;
}

export interface Task {
  task_id: string;
  document: Buffer;
  template: string;
  ended: string;
  worker: string;
  log_bytes: number;
}

export interface WatchRequest {
  suite_id: string;
}

export interface WatchResponse {
  suite: Suite | null;
}

export interface ClaimRequest {
  worker: string;
  limit: number;
  templates: string[];
}

export interface ClaimResponse {
  suite: Suite | null;
  tasks: ClaimedTask[];
}

export interface ClaimedTask {
  task_id: string;
  epoch: number;
}

export interface ReportRequest {
  suite_id: string;
  task_id: string;
  epoch: number;
  log_at: number;
  log: Buffer;
  ended: string;
}

export interface ReportResponse {
  cancelled: boolean;
  log_bytes: number;
}

export interface CancelRequest {
  suite_id: string;
}

export interface CancelResponse {
}

export type WorkerService = {
  Register: Unary<RegisterRequest, RegisterResponse>;
  Synchronize: Bidi<SynchronizeRequest, SynchronizeResponse>;
};

export interface RegisterRequest {
  protocol_version: number;
  node: string;
  instance_id: string;
  labels: Record<string, string>;
  builder?: BuilderFacts | null;
  runner?: RunnerFacts | null;
}

export interface BuilderFacts {
  slots: number;
  targets: string[];
  toolchains: string[];
  compiler_version: string;
  program_versions: number[];
}

export interface RunnerFacts {
  devices: RunnerDevice[];
  manifest_versions: number[];
}

export interface RunnerDevice {
  device: number;
  facts: DeviceFacts | null;
  memory_bytes: number;
  limits: Record<string, number>;
}

export interface RegisterResponse {
  worker_id: string;
  epoch: number;
  lease_ttl: Duration | null;
  secret: Buffer;
}

export interface SynchronizeRequest {
  worker_id: string;
  epoch: number;
  sequence: number;
  free: FreeSlots[];
  running_lease_ids: string[];
  outcomes: Outcome[];
  health: Health | null;
  report_only: boolean;
  leaving: boolean;
  secret: Buffer;
}

export interface FreeSlots {
  device: number;
  count: number;
}

export interface Health {
  trouble: string;
  checks: OwnCheck[];
}

export interface OwnCheck {
  ago: Duration | null;
  ratio: number;
}

export interface Outcome {
  lease_id: string;
  epoch: number;
  build?: BuildOutcome | null;
  run?: MeasureResult | null;
  fault?: WorkerFault | null;
  replay?: ReplayOutcome | null;
}

export interface BuildOutcome {
  artifact?: string;
  failed?: MeasureResult | null;
  build_time: Duration | null;
  cached: boolean;
}

export interface ReplayOutcome {
  replayed?: Replayed | null;
  refused?: string;
}

export interface Replayed {
  program_digest: string;
  reference_digest: string;
}

export interface WorkerFault {
  message: string;
  suspect: boolean;
  leaving: boolean;
  busy: boolean;
}

export interface SynchronizeResponse {
  acknowledged: string[];
  assignments: Assignment[];
  cancel: string[];
  state: SynchronizeResponse_State;
  sequence: number;
}

export type SynchronizeResponse_State = "STATE_UNSPECIFIED" | "STATE_ACTIVE" | "STATE_DRAIN";

export interface Assignment {
  lease_id: string;
  epoch: number;
  ttl: Duration | null;
  build?: BuildJob | null;
  run?: RunJob | null;
  replay?: ReplayJob | null;
  traceparent: string;
}

export interface BuildJob {
  program_digest: string;
  program: Buffer;
  timeout: Duration | null;
}

export interface ReplayJob {
  claim: Buffer;
  timeout: Duration | null;
}

export interface RunJob {
  device: number;
  artifact: string;
  reference_artifact: string;
  options: MeasureOptions | null;
  attempt: number;
  build_time: Duration | null;
  paired: PairedJob | null;
  owner: string;
  judged: JudgedJob | null;
  queue_time: Duration | null;
  incumbent: Duration | null;
}

export interface JudgedJob {
  secret: string;
  lease_secret: string;
  audit_below: Duration | null;
}

export interface PairedJob {
  others: string[];
  options: PairedOptions | null;
}

export interface Duration {
  seconds: number;
  nanos: number;
}

export interface Timestamp {
  seconds: number;
  nanos: number;
}
