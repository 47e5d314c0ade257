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
