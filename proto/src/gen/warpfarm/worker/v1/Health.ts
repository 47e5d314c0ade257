// Original file: warpfarm/worker/v1/worker_service.proto


export interface Health {
  'trouble'?: (string);
}

export interface Health__Output {
  'trouble': (string);
}
