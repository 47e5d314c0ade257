// Original file: warpfarm/suite/v1/suite_service.proto


export interface NewTask {
  'task_id'?: (string);
  'document'?: (Buffer | Uint8Array | string);
  'template'?: (string);
}

export interface NewTask__Output {
  'task_id': (string);
  'document': (Buffer);
  'template': (string);
}
