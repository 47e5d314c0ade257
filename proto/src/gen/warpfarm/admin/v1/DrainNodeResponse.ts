// Original file: warpfarm/admin/v1/admin_service.proto


export interface DrainNodeResponse {
  'workers'?: (number);
  'running'?: (number);
}

export interface DrainNodeResponse__Output {
  'workers': (number);
  'running': (number);
}
