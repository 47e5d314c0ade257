// Original file: warpfarm/worker/v1/worker_service.proto

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../../google/protobuf/Duration.ts';
import type { BuildJob as _warpfarm_worker_v1_BuildJob, BuildJob__Output as _warpfarm_worker_v1_BuildJob__Output } from '../../../warpfarm/worker/v1/BuildJob.ts';
import type { RunJob as _warpfarm_worker_v1_RunJob, RunJob__Output as _warpfarm_worker_v1_RunJob__Output } from '../../../warpfarm/worker/v1/RunJob.ts';
import type { ReplayJob as _warpfarm_worker_v1_ReplayJob, ReplayJob__Output as _warpfarm_worker_v1_ReplayJob__Output } from '../../../warpfarm/worker/v1/ReplayJob.ts';
import type { Long } from '@grpc/proto-loader';

export interface Assignment {
  'lease_id'?: (string);
  'epoch'?: (number | string | Long);
  'ttl'?: (_google_protobuf_Duration | null);
  'build'?: (_warpfarm_worker_v1_BuildJob | null);
  'run'?: (_warpfarm_worker_v1_RunJob | null);
  'replay'?: (_warpfarm_worker_v1_ReplayJob | null);
  'traceparent'?: (string);
  'job'?: "build"|"run"|"replay";
}

export interface Assignment__Output {
  'lease_id': (string);
  'epoch': (number);
  'ttl': (_google_protobuf_Duration__Output | null);
  'build'?: (_warpfarm_worker_v1_BuildJob__Output | null);
  'run'?: (_warpfarm_worker_v1_RunJob__Output | null);
  'replay'?: (_warpfarm_worker_v1_ReplayJob__Output | null);
  'traceparent': (string);
  'job'?: "build"|"run"|"replay";
}
