// Original file: warpfarm/measure/v1/measure.proto


export interface _warpfarm_measure_v1_Judged_Audit {
  'sets'?: (number);
  'secret'?: (string);
  'scored'?: (number | string)[];
  'unlike'?: (number);
}

export interface _warpfarm_measure_v1_Judged_Audit__Output {
  'sets': (number);
  'secret': (string);
  'scored': (number)[];
  'unlike': (number);
}

export interface Judged {
  'not'?: (string);
  'sets'?: (number);
  'commitment'?: (string);
  'audit'?: (_warpfarm_measure_v1_Judged_Audit | null);
}

export interface Judged__Output {
  'not': (string);
  'sets': (number);
  'commitment': (string);
  'audit': (_warpfarm_measure_v1_Judged_Audit__Output | null);
}
