// Original file: warpfarm/measure/v1/measure.proto


export interface DeviceFacts {
  'key'?: (string);
  'name'?: (string);
  'uuid'?: (string);
  'node'?: (string);
  'driver'?: (string);
}

export interface DeviceFacts__Output {
  'key': (string);
  'name': (string);
  'uuid': (string);
  'node': (string);
  'driver': (string);
}
