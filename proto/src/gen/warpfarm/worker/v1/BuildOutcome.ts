// Original file: warpfarm/worker/v1/worker_service.proto

import type { MeasureResult as _warpfarm_measure_v1_MeasureResult, MeasureResult__Output as _warpfarm_measure_v1_MeasureResult__Output } from '../../../warpfarm/measure/v1/MeasureResult.ts';
import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../../google/protobuf/Duration.ts';

export interface BuildOutcome {
  'artifact'?: (string);
  'failed'?: (_warpfarm_measure_v1_MeasureResult | null);
  'build_time'?: (_google_protobuf_Duration | null);
  'cached'?: (boolean);
  'kind'?: "artifact"|"failed";
}

export interface BuildOutcome__Output {
  'artifact'?: (string);
  'failed'?: (_warpfarm_measure_v1_MeasureResult__Output | null);
  'build_time': (_google_protobuf_Duration__Output | null);
  'cached': (boolean);
  'kind'?: "artifact"|"failed";
}
