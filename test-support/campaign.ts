/** `npm run campaign` runs at full length what `npm test` runs in a short seeded form: WARPFARM_CAMPAIGN=full. */
export const isFull = process.env.WARPFARM_CAMPAIGN === "full";
/** How often each fault comes: even, because faults come in two forms in turn. */
export const repeats = isFull ? 100 : 2;
