/** The part for packs, for commands of suites. */

export { type BestInRounds, bestOfRounds } from "./suites/best-of-rounds.ts";
export {
  type BaselineEvidence,
  type Bucket,
  type BucketEvidence,
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
} from "./suites/pack.ts";
