// Original file: warpfarm/farm/v1/farm_service.proto


export interface Reason {
  'what'?: (string);
  'detail'?: (string);
}

export interface Reason__Output {
  'what': (string);
  'detail': (string);
}
