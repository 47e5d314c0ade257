// Original file: warpfarm/admin/v1/admin_service.proto


export interface DrainNodeRequest {
  'node'?: (string);
  'undo'?: (boolean);
  'forget'?: (boolean);
}

export interface DrainNodeRequest__Output {
  'node': (string);
  'undo': (boolean);
  'forget': (boolean);
}
