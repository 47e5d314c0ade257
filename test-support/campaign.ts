/** `npm run campaign` sets WARPFARM_CAMPAIGN=full and runs at full length what `npm test` runs in a short seeded form. */
export const isFull = process.env.WARPFARM_CAMPAIGN === "full";
/** Repetitions of each fault; an even number, because faults alternate between two forms. */
export const repeats = isFull ? 100 : 2;
/** For cases that take a second or more each: all of them in the campaign, in npm test those at these places. */
export const some = <T>(cases: readonly T[], ...places: readonly number[]): readonly T[] =>
  isFull ? cases : places.map((place) => cases[place] as T);
