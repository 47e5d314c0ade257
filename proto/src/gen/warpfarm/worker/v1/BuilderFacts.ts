// Original file: warpfarm/worker/v1/worker_service.proto


export interface BuilderFacts {
  'slots'?: (number);
  'targets'?: (string)[];
  'toolchains'?: (string)[];
  'compiler_version'?: (string);
  'program_versions'?: (number)[];
}

export interface BuilderFacts__Output {
  'slots': (number);
  'targets': (string)[];
  'toolchains': (string)[];
  'compiler_version': (string);
  'program_versions': (number)[];
}
