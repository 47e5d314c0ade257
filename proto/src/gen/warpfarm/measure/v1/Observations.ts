// Original file: warpfarm/measure/v1/measure.proto


export interface Observations {
  'sm_clock_mhz'?: (number | string);
  'memory_clock_mhz'?: (number | string);
  'temperature_c'?: (number | string);
  'power_w'?: (number | string);
  'energy_j'?: (number | string);
  'throttle_reasons'?: (string)[];
  'sm_clock_low_mhz'?: (number | string);
  'steady'?: (boolean);
  'windows_waited'?: (number | string);
  'repeats_thrown_away'?: (number | string);
  '_sm_clock_mhz'?: "sm_clock_mhz";
  '_memory_clock_mhz'?: "memory_clock_mhz";
  '_temperature_c'?: "temperature_c";
  '_power_w'?: "power_w";
  '_energy_j'?: "energy_j";
  '_sm_clock_low_mhz'?: "sm_clock_low_mhz";
  '_steady'?: "steady";
  '_windows_waited'?: "windows_waited";
  '_repeats_thrown_away'?: "repeats_thrown_away";
}

export interface Observations__Output {
  'sm_clock_mhz'?: (number);
  'memory_clock_mhz'?: (number);
  'temperature_c'?: (number);
  'power_w'?: (number);
  'energy_j'?: (number);
  'throttle_reasons': (string)[];
  'sm_clock_low_mhz'?: (number);
  'steady'?: (boolean);
  'windows_waited'?: (number);
  'repeats_thrown_away'?: (number);
  '_sm_clock_mhz'?: "sm_clock_mhz";
  '_memory_clock_mhz'?: "memory_clock_mhz";
  '_temperature_c'?: "temperature_c";
  '_power_w'?: "power_w";
  '_energy_j'?: "energy_j";
  '_sm_clock_low_mhz'?: "sm_clock_low_mhz";
  '_steady'?: "steady";
  '_windows_waited'?: "windows_waited";
  '_repeats_thrown_away'?: "repeats_thrown_away";
}
