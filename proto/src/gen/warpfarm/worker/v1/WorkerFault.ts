// Original file: warpfarm/worker/v1/worker_service.proto


export interface WorkerFault {
  'message'?: (string);
  'suspect'?: (boolean);
  'leaving'?: (boolean);
  'busy'?: (boolean);
}

export interface WorkerFault__Output {
  'message': (string);
  'suspect': (boolean);
  'leaving': (boolean);
  'busy': (boolean);
}
