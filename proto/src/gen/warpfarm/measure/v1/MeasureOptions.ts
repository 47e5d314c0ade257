// Original file: warpfarm/measure/v1/measure.proto

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../../google/protobuf/Duration.ts';
import type { L2 as _warpfarm_measure_v1_L2, L2__Output as _warpfarm_measure_v1_L2__Output } from '../../../warpfarm/measure/v1/L2.ts';
import type { Timer as _warpfarm_measure_v1_Timer, Timer__Output as _warpfarm_measure_v1_Timer__Output } from '../../../warpfarm/measure/v1/Timer.ts';
import type { Check as _warpfarm_measure_v1_Check, Check__Output as _warpfarm_measure_v1_Check__Output } from '../../../warpfarm/measure/v1/Check.ts';
import type { Inputs as _warpfarm_measure_v1_Inputs, Inputs__Output as _warpfarm_measure_v1_Inputs__Output } from '../../../warpfarm/measure/v1/Inputs.ts';
import type { Power as _warpfarm_measure_v1_Power, Power__Output as _warpfarm_measure_v1_Power__Output } from '../../../warpfarm/measure/v1/Power.ts';

export interface MeasureOptions {
  'number'?: (number);
  'repeat'?: (number);
  'min_repeat'?: (_google_protobuf_Duration | null);
  'build_timeout'?: (_google_protobuf_Duration | null);
  'run_timeout'?: (_google_protobuf_Duration | null);
  'cooldown'?: (_google_protobuf_Duration | null);
  'l2'?: (_warpfarm_measure_v1_L2);
  'timer'?: (_warpfarm_measure_v1_Timer);
  'check'?: (_warpfarm_measure_v1_Check);
  'incumbent_seconds'?: (number | string);
  'inputs'?: (_warpfarm_measure_v1_Inputs);
  'power'?: (_warpfarm_measure_v1_Power);
  'judged'?: (boolean);
  'precision'?: (number | string);
  '_repeat'?: "repeat";
  '_incumbent_seconds'?: "incumbent_seconds";
  '_precision'?: "precision";
}

export interface MeasureOptions__Output {
  'number': (number);
  'repeat'?: (number);
  'min_repeat': (_google_protobuf_Duration__Output | null);
  'build_timeout': (_google_protobuf_Duration__Output | null);
  'run_timeout': (_google_protobuf_Duration__Output | null);
  'cooldown': (_google_protobuf_Duration__Output | null);
  'l2': (_warpfarm_measure_v1_L2__Output);
  'timer': (_warpfarm_measure_v1_Timer__Output);
  'check': (_warpfarm_measure_v1_Check__Output);
  'incumbent_seconds'?: (number);
  'inputs': (_warpfarm_measure_v1_Inputs__Output);
  'power': (_warpfarm_measure_v1_Power__Output);
  'judged': (boolean);
  'precision'?: (number);
  '_repeat'?: "repeat";
  '_incumbent_seconds'?: "incumbent_seconds";
  '_precision'?: "precision";
}
