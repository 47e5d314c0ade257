// Original file: warpfarm/worker/v1/worker_service.proto


export interface Replayed {
  'program_digest'?: (string);
  'reference_digest'?: (string);
}

export interface Replayed__Output {
  'program_digest': (string);
  'reference_digest': (string);
}
