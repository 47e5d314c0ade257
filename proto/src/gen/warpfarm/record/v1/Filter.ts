// Original file: warpfarm/record/v1/record_service.proto

import type { Long } from '@grpc/proto-loader';

export interface Filter {
  'ids'?: (string)[];
  'task'?: (string);
  'args'?: (string);
  'template'?: (string);
  'device'?: (string);
  'device_name'?: (string);
  'target'?: (string);
  'program'?: (string);
  'session'?: (string);
  'by'?: (string);
  'outcome'?: (string);
  'origin'?: (string);
  'since_ms'?: (number | string | Long);
  'until_ms'?: (number | string | Long);
  '_task'?: "task";
  '_args'?: "args";
  '_template'?: "template";
  '_device'?: "device";
  '_device_name'?: "device_name";
  '_target'?: "target";
  '_program'?: "program";
  '_session'?: "session";
  '_by'?: "by";
  '_outcome'?: "outcome";
  '_origin'?: "origin";
  '_since_ms'?: "since_ms";
  '_until_ms'?: "until_ms";
}

export interface Filter__Output {
  'ids': (string)[];
  'task'?: (string);
  'args'?: (string);
  'template'?: (string);
  'device'?: (string);
  'device_name'?: (string);
  'target'?: (string);
  'program'?: (string);
  'session'?: (string);
  'by'?: (string);
  'outcome'?: (string);
  'origin'?: (string);
  'since_ms'?: (number);
  'until_ms'?: (number);
  '_task'?: "task";
  '_args'?: "args";
  '_template'?: "template";
  '_device'?: "device";
  '_device_name'?: "device_name";
  '_target'?: "target";
  '_program'?: "program";
  '_session'?: "session";
  '_by'?: "by";
  '_outcome'?: "outcome";
  '_origin'?: "origin";
  '_since_ms'?: "since_ms";
  '_until_ms'?: "until_ms";
}
