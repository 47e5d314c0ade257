/**
 * Who reads a record of a farm, and why. What a client says of a program that it sent is a claim (claim.ts); others read the
 * record only after a builder has replayed the claim, or where an admin answers for it.
 */
export const standings = {
  /** Stays with its owner: private, imported by a client, or nothing that a builder can replay. */
  own: 0,
  /** Offered to all and not replayed yet. Until then it stays with its owner. */
  offered: 1,
  /** A builder replayed the claim, and got this program and this reference. */
  verified: 2,
  /** An admin imported or shared it. */
  shared: 3,
  /** The replay gave another program or reference, or the template refused. It stays with its owner. */
  refuted: 4,
  /** Verified, and so much faster than expected that a second node measures it first. Until then it stays with its owner. */
  doubted: 5,
  /** The second node measured another time. It stays with its owner. */
  disputed: 6,
  /** Verified, and a second node measured the same time. */
  confirmed: 7,
} as const;
export type StandingNo = (typeof standings)[keyof typeof standings];

export const standingWords = ["own", "unverified", "verified", "shared", "refuted", "doubted", "disputed", "confirmed"] as const;
export type Standing = (typeof standingWords)[number];

export const standingText: Readonly<Record<Standing, string>> = {
  own: "own",
  unverified: "own, unverified",
  verified: "seen by one node",
  shared: "shared by an admin",
  refuted: "own, refuted",
  doubted: "own, waits for a second node",
  disputed: "own, two nodes disagree",
  confirmed: "verified by two",
};

/** The namespace of rows that everybody reads. Other rows are in that of their owner's name. */
export const everybody = "";

export const isShared = (standing: StandingNo): boolean =>
  standing === standings.verified || standing === standings.shared || standing === standings.confirmed;
