// Original file: warpfarm/worker/v1/worker_service.proto

import type { BuildOutcome as _warpfarm_worker_v1_BuildOutcome, BuildOutcome__Output as _warpfarm_worker_v1_BuildOutcome__Output } from '../../../warpfarm/worker/v1/BuildOutcome.ts';
import type { MeasureResult as _warpfarm_measure_v1_MeasureResult, MeasureResult__Output as _warpfarm_measure_v1_MeasureResult__Output } from '../../../warpfarm/measure/v1/MeasureResult.ts';
import type { WorkerFault as _warpfarm_worker_v1_WorkerFault, WorkerFault__Output as _warpfarm_worker_v1_WorkerFault__Output } from '../../../warpfarm/worker/v1/WorkerFault.ts';
import type { ReplayOutcome as _warpfarm_worker_v1_ReplayOutcome, ReplayOutcome__Output as _warpfarm_worker_v1_ReplayOutcome__Output } from '../../../warpfarm/worker/v1/ReplayOutcome.ts';
import type { Long } from '@grpc/proto-loader';

export interface Outcome {
  'lease_id'?: (string);
  'epoch'?: (number | string | Long);
  'build'?: (_warpfarm_worker_v1_BuildOutcome | null);
  'run'?: (_warpfarm_measure_v1_MeasureResult | null);
  'fault'?: (_warpfarm_worker_v1_WorkerFault | null);
  'replay'?: (_warpfarm_worker_v1_ReplayOutcome | null);
  'kind'?: "build"|"run"|"fault"|"replay";
}

export interface Outcome__Output {
  'lease_id': (string);
  'epoch': (number);
  'build'?: (_warpfarm_worker_v1_BuildOutcome__Output | null);
  'run'?: (_warpfarm_measure_v1_MeasureResult__Output | null);
  'fault'?: (_warpfarm_worker_v1_WorkerFault__Output | null);
  'replay'?: (_warpfarm_worker_v1_ReplayOutcome__Output | null);
  'kind'?: "build"|"run"|"fault"|"replay";
}
