/** `npm run campaign` runs at full length what `npm test` runs in a short seeded form: WARPFARM_CAMPAIGN=full. */
export const isFull = process.env.WARPFARM_CAMPAIGN === "full";
/** How often each fault comes: even, because faults come in two forms in turn. */
export const repeats = isFull ? 100 : 2;
/** Of cases that take a second or more each: all in the campaign, in npm test those at these places. */
export const some = <T>(cases: readonly T[], ...places: readonly number[]): readonly T[] =>
  isFull ? cases : places.map((place) => cases[place] as T);
