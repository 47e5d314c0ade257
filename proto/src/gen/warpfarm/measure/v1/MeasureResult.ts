// Original file: warpfarm/measure/v1/measure.proto

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../../google/protobuf/Duration.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';
import type { DeviceFacts as _warpfarm_measure_v1_DeviceFacts, DeviceFacts__Output as _warpfarm_measure_v1_DeviceFacts__Output } from '../../../warpfarm/measure/v1/DeviceFacts.ts';
import type { LeaseTimes as _warpfarm_measure_v1_LeaseTimes, LeaseTimes__Output as _warpfarm_measure_v1_LeaseTimes__Output } from '../../../warpfarm/measure/v1/LeaseTimes.ts';
import type { Observations as _warpfarm_measure_v1_Observations, Observations__Output as _warpfarm_measure_v1_Observations__Output } from '../../../warpfarm/measure/v1/Observations.ts';
import type { Judged as _warpfarm_measure_v1_Judged, Judged__Output as _warpfarm_measure_v1_Judged__Output } from '../../../warpfarm/measure/v1/Judged.ts';
import type { ErrorNo as _warpfarm_measure_v1_ErrorNo, ErrorNo__Output as _warpfarm_measure_v1_ErrorNo__Output } from '../../../warpfarm/measure/v1/ErrorNo.ts';
import type { Mismatch as _warpfarm_measure_v1_Mismatch, Mismatch__Output as _warpfarm_measure_v1_Mismatch__Output } from '../../../warpfarm/measure/v1/Mismatch.ts';
import type { Long } from '@grpc/proto-loader';

export interface _warpfarm_measure_v1_MeasureResult_Failed {
  'error_no'?: (_warpfarm_measure_v1_ErrorNo);
  'rule'?: (string);
  'message'?: (string);
  'log'?: (string);
  'mismatch'?: (_warpfarm_measure_v1_Mismatch | null);
  'busy'?: (_google_protobuf_Duration | null);
  'failed_program'?: (number);
  '_failed_program'?: "failed_program";
}

export interface _warpfarm_measure_v1_MeasureResult_Failed__Output {
  'error_no': (_warpfarm_measure_v1_ErrorNo__Output);
  'rule': (string);
  'message': (string);
  'log': (string);
  'mismatch': (_warpfarm_measure_v1_Mismatch__Output | null);
  'busy': (_google_protobuf_Duration__Output | null);
  'failed_program'?: (number);
  '_failed_program'?: "failed_program";
}

export interface _warpfarm_measure_v1_MeasureResult_Paired {
  'artifact'?: (string);
  'costs'?: (number | string)[];
  'number'?: (number | string | Long);
}

export interface _warpfarm_measure_v1_MeasureResult_Paired__Output {
  'artifact': (string);
  'costs': (number)[];
  'number': (number);
}

export interface _warpfarm_measure_v1_MeasureResult_Slower {
  'at_least'?: (number | string);
  'ran'?: (_warpfarm_measure_v1_MeasureResult_Timed | null);
}

export interface _warpfarm_measure_v1_MeasureResult_Slower__Output {
  'at_least': (number);
  'ran': (_warpfarm_measure_v1_MeasureResult_Timed__Output | null);
}

export interface _warpfarm_measure_v1_MeasureResult_Timed {
  'costs'?: (number | string)[];
  'number'?: (number | string | Long);
  'busy'?: (_google_protobuf_Duration | null);
  'checked'?: (boolean);
  'observations'?: (_warpfarm_measure_v1_Observations | null);
  'artifact'?: (string);
  'paired'?: (_warpfarm_measure_v1_MeasureResult_Paired)[];
  'judged'?: (_warpfarm_measure_v1_Judged | null);
}

export interface _warpfarm_measure_v1_MeasureResult_Timed__Output {
  'costs': (number)[];
  'number': (number);
  'busy': (_google_protobuf_Duration__Output | null);
  'checked': (boolean);
  'observations': (_warpfarm_measure_v1_Observations__Output | null);
  'artifact': (string);
  'paired': (_warpfarm_measure_v1_MeasureResult_Paired__Output)[];
  'judged': (_warpfarm_measure_v1_Judged__Output | null);
}

export interface MeasureResult {
  'timed'?: (_warpfarm_measure_v1_MeasureResult_Timed | null);
  'failed'?: (_warpfarm_measure_v1_MeasureResult_Failed | null);
  'build_time'?: (_google_protobuf_Duration | null);
  'run_time'?: (_google_protobuf_Duration | null);
  'finish_time'?: (_google_protobuf_Timestamp | null);
  'attempt'?: (number);
  'device'?: (_warpfarm_measure_v1_DeviceFacts | null);
  'toolchain'?: (string);
  'lease'?: (_warpfarm_measure_v1_LeaseTimes | null);
  'slower'?: (_warpfarm_measure_v1_MeasureResult_Slower | null);
  'outcome'?: "timed"|"failed"|"slower";
}

export interface MeasureResult__Output {
  'timed'?: (_warpfarm_measure_v1_MeasureResult_Timed__Output | null);
  'failed'?: (_warpfarm_measure_v1_MeasureResult_Failed__Output | null);
  'build_time': (_google_protobuf_Duration__Output | null);
  'run_time': (_google_protobuf_Duration__Output | null);
  'finish_time': (_google_protobuf_Timestamp__Output | null);
  'attempt': (number);
  'device': (_warpfarm_measure_v1_DeviceFacts__Output | null);
  'toolchain': (string);
  'lease': (_warpfarm_measure_v1_LeaseTimes__Output | null);
  'slower'?: (_warpfarm_measure_v1_MeasureResult_Slower__Output | null);
  'outcome'?: "timed"|"failed"|"slower";
}
