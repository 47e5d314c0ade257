/** The numbers in the columns `state`. Statements use these names. */

export const requestStates = {
  /** It waits for the result of the request that its row of reuses names. */
  following: -1,
  /** Its artifact or its reference's is missing. */
  building: 0,
  /** It may be leased to a runner. */
  ready: 1,
  /** Exactly one row of leases names it. */
  leased: 2,
  /** Its result exists and is not received by the client. */
  done: 3,
  /** Kept as a name: the same sequence with other content must be refused. */
  received: 4,
} as const;

/** A `built` build has its artifact set, a `failed` one its failure. */
export const buildStates = { waiting: 0, leased: 1, built: 2, failed: 3 } as const;

/** A builder's verdict on a claim (sql/claims.ts). */
export const claimStates = { waiting: 0, leased: 1, verified: 2, refuted: 3, unverifiable: 4 } as const;

/** The states of a second look (sql/second-looks.ts). */
export const lookStates = { wanted: 0, measured: 1, agreed: 2, disputed: 3 } as const;
