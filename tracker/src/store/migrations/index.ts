/**
 * Every migration, in order. A released migration is never edited: the next one has the next number. 18 is not used again: stores
 * of development have had one.
 */
import { farm } from "./0001-farm.ts";
import { throughput } from "./0002-throughput.ts";
import { care } from "./0003-care.ts";
import { retention } from "./0004-retention.ts";
import { principals } from "./0005-principals.ts";
import { quotas } from "./0006-quotas.ts";
import { versions } from "./0007-versions.ts";
import { requestTargets } from "./0008-targets.ts";
import { paired } from "./0009-paired.ts";
import { suites } from "./0010-suites.ts";
import { records } from "./0011-records.ts";
import { uploads } from "./0014-uploads.ts";
import { control } from "./0015-control.ts";
import { suiteSizes } from "./0016-suite-sizes.ts";
import { checks } from "./0017-checks.ts";
import { settled } from "./0019-settled.ts";
import { toolchains } from "./0021-toolchains.ts";

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

export const migrations: readonly Migration[] = [
  farm,
  throughput,
  care,
  retention,
  principals,
  quotas,
  versions,
  requestTargets,
  paired,
  suites,
  records,
  uploads,
  control,
  suiteSizes,
  checks,
  settled,
  toolchains,
];
