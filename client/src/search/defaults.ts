/** What a search takes where nothing is said, of `tune` and of a suite alike. */
export const defaultTuner = "auto";
export const defaultSeed = 0;
/** Measured again, interleaved, after the search. */
export const defaultFinalists = 5;
export const defaultTrials = 64;
