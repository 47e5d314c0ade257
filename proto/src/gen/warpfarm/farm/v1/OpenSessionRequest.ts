// Original file: warpfarm/farm/v1/farm_service.proto

import type { MeasureOptions as _warpfarm_measure_v1_MeasureOptions, MeasureOptions__Output as _warpfarm_measure_v1_MeasureOptions__Output } from '../../../warpfarm/measure/v1/MeasureOptions.ts';
import type { PairedOptions as _warpfarm_measure_v1_PairedOptions, PairedOptions__Output as _warpfarm_measure_v1_PairedOptions__Output } from '../../../warpfarm/measure/v1/PairedOptions.ts';
import type { Provenance as _warpfarm_farm_v1_Provenance, Provenance__Output as _warpfarm_farm_v1_Provenance__Output } from '../../../warpfarm/farm/v1/Provenance.ts';
import type { Keep as _warpfarm_farm_v1_Keep, Keep__Output as _warpfarm_farm_v1_Keep__Output } from '../../../warpfarm/farm/v1/Keep.ts';

export interface OpenSessionRequest {
  'request_id'?: (string);
  'protocol_version'?: (number);
  'task'?: (string);
  'selector'?: (string);
  'options'?: (_warpfarm_measure_v1_MeasureOptions | null);
  'priority'?: (number);
  'max_in_flight'?: (number);
  'labels'?: ({[key: string]: string});
  'continues'?: (string);
  'weight'?: (number);
  'reuse'?: (boolean);
  'paired'?: (_warpfarm_measure_v1_PairedOptions | null);
  'provenance'?: (_warpfarm_farm_v1_Provenance | null);
  'keep'?: (_warpfarm_farm_v1_Keep);
}

export interface OpenSessionRequest__Output {
  'request_id': (string);
  'protocol_version': (number);
  'task': (string);
  'selector': (string);
  'options': (_warpfarm_measure_v1_MeasureOptions__Output | null);
  'priority': (number);
  'max_in_flight': (number);
  'labels': ({[key: string]: string});
  'continues': (string);
  'weight': (number);
  'reuse': (boolean);
  'paired': (_warpfarm_measure_v1_PairedOptions__Output | null);
  'provenance': (_warpfarm_farm_v1_Provenance__Output | null);
  'keep': (_warpfarm_farm_v1_Keep__Output);
}
