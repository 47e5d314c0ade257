// Original file: warpfarm/admin/v1/admin_service.proto


export interface Hold {
  'kind'?: (string);
  'what'?: (string);
}

export interface Hold__Output {
  'kind': (string);
  'what': (string);
}
