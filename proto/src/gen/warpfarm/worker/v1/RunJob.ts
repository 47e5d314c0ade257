// Original file: warpfarm/worker/v1/worker_service.proto

import type { MeasureOptions as _warpfarm_measure_v1_MeasureOptions, MeasureOptions__Output as _warpfarm_measure_v1_MeasureOptions__Output } from '../../../warpfarm/measure/v1/MeasureOptions.ts';
import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../../google/protobuf/Duration.ts';
import type { PairedJob as _warpfarm_worker_v1_PairedJob, PairedJob__Output as _warpfarm_worker_v1_PairedJob__Output } from '../../../warpfarm/worker/v1/PairedJob.ts';
import type { JudgedJob as _warpfarm_worker_v1_JudgedJob, JudgedJob__Output as _warpfarm_worker_v1_JudgedJob__Output } from '../../../warpfarm/worker/v1/JudgedJob.ts';

export interface RunJob {
  'device'?: (number);
  'artifact'?: (string);
  'reference_artifact'?: (string);
  'options'?: (_warpfarm_measure_v1_MeasureOptions | null);
  'attempt'?: (number);
  'build_time'?: (_google_protobuf_Duration | null);
  'paired'?: (_warpfarm_worker_v1_PairedJob | null);
  'owner'?: (string);
  'judged'?: (_warpfarm_worker_v1_JudgedJob | null);
  'queue_time'?: (_google_protobuf_Duration | null);
  'incumbent'?: (_google_protobuf_Duration | null);
}

export interface RunJob__Output {
  'device': (number);
  'artifact': (string);
  'reference_artifact': (string);
  'options': (_warpfarm_measure_v1_MeasureOptions__Output | null);
  'attempt': (number);
  'build_time': (_google_protobuf_Duration__Output | null);
  'paired': (_warpfarm_worker_v1_PairedJob__Output | null);
  'owner': (string);
  'judged': (_warpfarm_worker_v1_JudgedJob__Output | null);
  'queue_time': (_google_protobuf_Duration__Output | null);
  'incumbent': (_google_protobuf_Duration__Output | null);
}
