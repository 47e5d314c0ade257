// Original file: warpfarm/measure/v1/measure.proto


export interface ProgramRef {
  'json'?: (Buffer | Uint8Array | string);
  'digest'?: (string);
  'kind'?: "json"|"digest";
}

export interface ProgramRef__Output {
  'json'?: (Buffer);
  'digest'?: (string);
  'kind'?: "json"|"digest";
}
