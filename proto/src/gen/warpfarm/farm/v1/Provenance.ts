// Original file: warpfarm/farm/v1/farm_service.proto

import type { Long } from '@grpc/proto-loader';

export interface Provenance {
  'task'?: (string);
  'template'?: (string);
  'template_version'?: (string);
  'args'?: (string);
  'space'?: (string);
  'tuner'?: (string);
  'seed'?: (number | string | Long);
  'trials'?: (number);
  'default_seconds'?: (number | string);
  'library_seconds'?: (number | string);
  'search'?: (string);
  '_default_seconds'?: "default_seconds";
  '_library_seconds'?: "library_seconds";
}

export interface Provenance__Output {
  'task': (string);
  'template': (string);
  'template_version': (string);
  'args': (string);
  'space': (string);
  'tuner': (string);
  'seed': (number);
  'trials': (number);
  'default_seconds'?: (number);
  'library_seconds'?: (number);
  'search': (string);
  '_default_seconds'?: "default_seconds";
  '_library_seconds'?: "library_seconds";
}
