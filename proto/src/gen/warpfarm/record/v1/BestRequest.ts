// Original file: warpfarm/record/v1/record_service.proto


export interface BestRequest {
  'task'?: (string);
  'args'?: (string);
  'device'?: (string);
  'device_name'?: (string);
  'origin'?: (string);
  'l2'?: (string);
  'unchecked'?: (boolean);
  '_device'?: "device";
  '_device_name'?: "device_name";
}

export interface BestRequest__Output {
  'task': (string);
  'args': (string);
  'device'?: (string);
  'device_name'?: (string);
  'origin': (string);
  'l2': (string);
  'unchecked': (boolean);
  '_device'?: "device";
  '_device_name'?: "device_name";
}
