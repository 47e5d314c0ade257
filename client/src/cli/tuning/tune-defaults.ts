/** What `tune` takes where nothing is said. */
export const defaultTuner = "auto";
export const defaultSeed = 0;
export const defaultTrials = 64;
