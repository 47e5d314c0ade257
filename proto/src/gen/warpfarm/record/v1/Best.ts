// Original file: warpfarm/record/v1/record_service.proto

import type { Contender as _warpfarm_record_v1_Contender, Contender__Output as _warpfarm_record_v1_Contender__Output } from '../../../warpfarm/record/v1/Contender.ts';

export interface Best {
  'device'?: (string);
  'device_name'?: (string);
  'noise'?: (number | string);
  'tied'?: (_warpfarm_record_v1_Contender)[];
  'computation'?: (string);
  'interleaved'?: (number);
}

export interface Best__Output {
  'device': (string);
  'device_name': (string);
  'noise': (number);
  'tied': (_warpfarm_record_v1_Contender__Output)[];
  'computation': (string);
  'interleaved': (number);
}
