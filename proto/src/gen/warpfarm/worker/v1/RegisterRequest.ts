// Original file: warpfarm/worker/v1/worker_service.proto

import type { BuilderFacts as _warpfarm_worker_v1_BuilderFacts, BuilderFacts__Output as _warpfarm_worker_v1_BuilderFacts__Output } from '../../../warpfarm/worker/v1/BuilderFacts.ts';
import type { RunnerFacts as _warpfarm_worker_v1_RunnerFacts, RunnerFacts__Output as _warpfarm_worker_v1_RunnerFacts__Output } from '../../../warpfarm/worker/v1/RunnerFacts.ts';

export interface RegisterRequest {
  'protocol_version'?: (number);
  'node'?: (string);
  'instance_id'?: (string);
  'labels'?: ({[key: string]: string});
  'builder'?: (_warpfarm_worker_v1_BuilderFacts | null);
  'runner'?: (_warpfarm_worker_v1_RunnerFacts | null);
  'role'?: "builder"|"runner";
}

export interface RegisterRequest__Output {
  'protocol_version': (number);
  'node': (string);
  'instance_id': (string);
  'labels': ({[key: string]: string});
  'builder'?: (_warpfarm_worker_v1_BuilderFacts__Output | null);
  'runner'?: (_warpfarm_worker_v1_RunnerFacts__Output | null);
  'role'?: "builder"|"runner";
}
