// Original file: warpfarm/farm/v1/farm_service.proto


export interface Provenance {
  'search'?: (string);
  'space'?: (string);
  'default_seconds'?: (number | string);
  'library_seconds'?: (number | string);
  '_default_seconds'?: "default_seconds";
  '_library_seconds'?: "library_seconds";
}

export interface Provenance__Output {
  'search': (string);
  'space': (string);
  'default_seconds'?: (number);
  'library_seconds'?: (number);
  '_default_seconds'?: "default_seconds";
  '_library_seconds'?: "library_seconds";
}
