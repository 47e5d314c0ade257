/**
 * Candidates for the next config. For a small space all that is left; otherwise a fixed number from three sources: neighbourhoods
 * of the best configs (all that differ in one knob: local search), crosses of good configs with a mutation (genetic search), and
 * uniform draws (restarts). All satisfy the space's own constraints and are not visited.
 */
import type { Random } from "@warpfarm/common";
import type { ConfigIndex, ConfigSpace } from "@warpfarm/compiler";
import type { Visited } from "../visited.ts";
import type { Row } from "./results.ts";

const mostCandidates = 1000;
const neighbourShare = 0.4;
const crossShare = 0.2;
const parents = 12;

export function candidates(space: ConfigSpace, visited: Visited, top: readonly Row[], random: Random): readonly ConfigIndex[] {
  const isOpen = (index: ConfigIndex) => !visited.has(index);
  if (space.valid.count <= mostCandidates) {
    const all = Array.from({ length: space.valid.count }, (_, rank) => space.toIndex(space.valid.nth(rank)));
    return all.filter(isOpen);
  }
  const found = new Set<ConfigIndex>();
  const room = (share: number) => found.size + Math.floor(share * mostCandidates);
  const most = room(neighbourShare);
  for (const { index } of top.slice(0, 3)) {
    const near = neighbours(space, index).filter(isOpen);
    const fits = near.length <= most / 3 ? near : random.shuffle(near).slice(0, Math.floor(most / 3));
    for (const neighbour of fits) found.add(neighbour);
  }
  const crossed = room(crossShare);
  for (let tries = 0; tries < 2 * crossShare * mostCandidates && found.size < crossed && top.length > 1; tries++) {
    const child = cross(space, random.pick(top.slice(0, parents)).index, random.pick(top.slice(0, parents)).index, random);
    if (space.valid.has(child) && isOpen(child)) found.add(child);
  }
  for (let tries = 0; tries < 2 * mostCandidates && found.size < mostCandidates; tries++) {
    const drawn = space.random(random);
    if (isOpen(drawn)) found.add(drawn);
  }
  return [...found];
}

export function neighbours(space: ConfigSpace, index: ConfigIndex): ConfigIndex[] {
  const found: ConfigIndex[] = [];
  let stride = 1;
  for (const { size } of space.knobs) {
    const digit = Math.floor(index / stride) % size;
    for (let other = 0; other < size; other++) {
      if (other === digit) continue;
      const moved = index + (other - digit) * stride;
      if (space.valid.has(moved)) found.push(space.toIndex(moved));
    }
    stride *= size;
  }
  return found;
}

/** Each digit comes from one of the two. Half of the time one digit is drawn anew. */
function cross(space: ConfigSpace, a: ConfigIndex, b: ConfigIndex, random: Random): ConfigIndex {
  const other = space.digits(b);
  const digits = space.digits(a).map((digit, i) => (random.below(2) === 0 ? digit : (other[i] as number)));
  if (random.below(2) === 0 || a === b) {
    const i = random.below(digits.length);
    digits[i] = random.below(space.knobs[i]?.size ?? 1);
  }
  return space.fromDigits(digits);
}
