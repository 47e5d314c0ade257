/** The meaning of an intrinsic, executed by one thread for its team. */
import { combineNumbers, identityOf } from "../../ir/combiner.ts";
import { operandsOf, tensorOf } from "../../ir/intrinsic.ts";
import { roundTo } from "../../ir/numeric.ts";
import { isProduct } from "../../ir/parts.ts";
import type { Invoke, Tile } from "../../ir/stmt.ts";
import { InterpError } from "../error.ts";
import type { Actor } from "./block.ts";
import { type Access, Clock } from "./clock.ts";
import { forEachPoint } from "./points.ts";
import { type Frame, value } from "./value.ts";

/** `places`: the first elements of its tiles. `team`: its threads; without a launch, the only one. */
export function invoke(s: Invoke, places: readonly number[], team: readonly Actor[]): void {
  const { intrinsic, form, tiles } = s;
  const { op } = intrinsic;
  const [thread] = team as [Actor];
  const tensors = operandsOf(intrinsic, form).map((operand) => tensorOf(intrinsic, operand));
  const at = (k: number, indices: readonly number[]): number => {
    const { strides } = tiles[k] as Tile;
    let place = places[k] as number;
    for (let d = 0; d < indices.length; d++) place += (indices[d] as number) * (strides[d] as number);
    return place;
  };
  const vars = new Map(thread.vars);
  const { reads, writes } = accessesOf(s, team);
  const out = tensors.length - 1;
  // Inputs do not change meanwhile, so each element is read once.
  const known = tensors.map(() => new Map<number, number>());
  // A tensor of the meaning stands for a tile.
  const load: Frame["load"] = ({ buffer }, indices) => {
    const k = tensors.indexOf(buffer);
    const place = at(k, indices);
    const values = known[k] as Map<number, number>;
    const found = values.get(place);
    if (found !== undefined) return found;
    const x = thread.read((tiles[k] as Tile).buffer, place, reads);
    values.set(place, x);
    return x;
  };
  const frame: Frame = { vars, lane: 0, load };
  const cells = thread.cells((tiles[out] as Tile).buffer);
  const { combiner } = op;
  const identity = combiner && identityOf(combiner, op.output.dtype);
  const combine = combiner && combineNumbers(combiner, roundTo(op.output.dtype));
  forEachPoint(op.axes, vars, () => {
    const place = at(
      out,
      op.axes.map(({ loopVar }) => vars.get(loopVar) as number),
    );
    if (!combine || !identity) return cells.write(place, value(op.body, frame), writes);
    let sum = form === "update" ? cells.read(place, reads) : value(identity, frame);
    if (form !== "init")
      forEachPoint(op.reduce, vars, () => {
        sum = combine(sum, value(op.body, frame));
      });
    cells.write(place, sum, writes);
  });
}

function accessesOf(s: Invoke, team: readonly Actor[]): { readonly reads: Access; readonly writes: Access } {
  const [{ block, clock }] = team as [Actor];
  const isGoing = block.isLaunched && isProduct(s);
  const group = clock.products.open;
  if (isGoing && group === 0)
    throw new InterpError("interp.in_flight", `${s.intrinsic.name} is called in no group, so nothing can wait for it`);
  const moment = Clock.together(
    team.map((one) => one.clock),
    isGoing ? { group } : undefined,
  );
  if (isGoing) for (const one of team) Object.assign(one.clock.products, { last: group, name: s.intrinsic.name });
  return { reads: { moment, site: s, isWrite: false }, writes: { moment, site: s, isWrite: true } };
}
