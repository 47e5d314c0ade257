/**
 * Property tests begin with the same seed in every run, so that they are reproducible. WARPFARM_SEED=n sets another seed. A
 * failure prints the seed and the path to its smallest counterexample.
 */
import fc from "fast-check";

const { WARPFARM_SEED = "20261122" } = process.env;
const seed = Number(WARPFARM_SEED);
if (!Number.isInteger(seed)) throw new Error(`WARPFARM_SEED is "${WARPFARM_SEED}"; it takes an integer`);
fc.configureGlobal({ seed });
