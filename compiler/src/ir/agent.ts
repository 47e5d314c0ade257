/**
 * Groups of threads that act together. A team has a fixed number of threads of a block with consecutive numbers (x fastest), the
 * first a multiple of that number. A thread's number in its team is its lane. A block has all of its threads.
 */
export const teamSize = { warp: 32, warpgroup: 128 } as const;
export type Team = keyof typeof teamSize;
export const teams = Object.keys(teamSize) as readonly Team[];
export type Agent = Team | "block";
/** The smallest first. */
export const agents: readonly Agent[] = [...teams, "block"];
export const isWithin = (one: Agent, other: Agent): boolean => agents.indexOf(one) <= agents.indexOf(other);

/**
 * The thread axis that counts the warpgroups of a block: of rows of 128 threads y, of rows of fewer z, where x and y are 128.
 * Undefined: there is none.
 */
export const warpgroupAxis = ([x, y]: readonly number[]): "threadIdx.y" | "threadIdx.z" | undefined =>
  x === teamSize.warpgroup ? "threadIdx.y" : (x ?? 1) * (y ?? 1) === teamSize.warpgroup ? "threadIdx.z" : undefined;

/** The extents of a block that has a warpgroup more, which fills channels (ir/stmt.ts, Roles). */
export const withProducer = ([x, y, z]: readonly [number, number, number]): [number, number, number] =>
  warpgroupAxis([x, y]) === "threadIdx.z" ? [x, y, z + 1] : [x, y + 1, z];
