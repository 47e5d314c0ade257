/** The part for packs, for commands of suites. */

export { type BestInRounds, bestOfRounds } from "./suites/best-of-rounds.ts";
export {
  type BaselineEvidence,
  type Bucket,
  type BucketEvidence,
  bucketWords,
  choicesText,
  chosenName,
  digestOfChoices,
  evidenceText,
  isTiedIn,
  noteOfRounds,
  type Pack,
  type PackChoice,
  type PackKernel,
  packOf,
  readPack,
  roundsOf,
  titleOfBucket,
} from "./suites/pack.ts";
