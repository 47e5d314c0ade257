// Original file: warpfarm/farm/v1/farm_service.proto


export interface Queue {
  'key'?: (string);
  'waiting_builds'?: (number);
  'waiting_runs'?: (number);
  'running'?: (number);
}

export interface Queue__Output {
  'key': (string);
  'waiting_builds': (number);
  'waiting_runs': (number);
  'running': (number);
}
