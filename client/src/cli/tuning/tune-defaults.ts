/** What `tune` takes where nothing is said. */
export const defaultTuner = "auto";
export const defaultSeed = 0;
/** Measured again, interleaved, after the search. */
export const defaultFinalists = 5;
export const defaultTrials = 64;
