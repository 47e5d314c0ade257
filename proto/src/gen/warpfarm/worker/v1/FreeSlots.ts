// Original file: warpfarm/worker/v1/worker_service.proto


export interface FreeSlots {
  'device'?: (number);
  'count'?: (number);
}

export interface FreeSlots__Output {
  'device': (number);
  'count': (number);
}
