/** What the numbers in the columns `state` mean. Statements name them, so that each index of a state is found by its name. */

export const requestStates = {
  /** It waits for the result of the request that its row of reuses names. */
  following: -1,
  /** Its artifact or its reference's is not there yet. */
  building: 0,
  /** May be leased to a runner. */
  ready: 1,
  /** Exactly one row of leases names it. */
  leased: 2,
  /** Its result is there, not yet received by the client. */
  done: 3,
  /** Kept as a name: the same sequence with other content must be refused. */
  received: 4,
} as const;

/** Of a build that is `built` the artifact is set, of one that `failed` the failure. */
export const buildStates = { waiting: 0, leased: 1, built: 2, failed: 3 } as const;

/** Of a claim: what a builder said of it (sql/claims.ts). */
export const claimStates = { waiting: 0, leased: 1, verified: 2, refuted: 3, unverifiable: 4 } as const;

/** Of a second look (sql/second-looks.ts). */
export const lookStates = { wanted: 0, measured: 1, agreed: 2, disputed: 3 } as const;
