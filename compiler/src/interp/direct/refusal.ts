/** What is wrong with two accesses: who did what where, and what would order them. */
import { teamSize } from "../../ir/agent.ts";
import { printStmt } from "../../ir/print.ts";
import { InterpError, type InterpRule } from "../error.ts";
import type { Access, Moment } from "./clock.ts";

function who({ kind, thread, rank, world }: Moment): string {
  const { entries, names } = world;
  const one = thread === entries.copies - 1 ? "the producer" : `thread ${thread} (warp ${Math.floor(thread / teamSize.warp)})`;
  const place = names[rank] === "" ? "" : ` of ${names[rank]}`;
  switch (kind) {
    case "thread":
      return `${one}${place}`;
    case "copy":
      return `a copy that ${one}${place} began`;
    case "product":
      return `a product of the team of ${one}${place}`;
    case "box":
      return `the copy engine for ${one}${place}`;
    case "store":
      return `the copy engine, storing for ${one}${place}`;
  }
}

const told = ({ moment, site, isWrite }: Access): string =>
  `${isWrite ? "written" : "read"} by ${who(moment)} in \`${printStmt(site).split("\n")[0]?.trim().replace(/:$/, "")}\``;

/** The rule of two accesses that nothing orders, and what would. `by` came second in this run. */
function ruleOf(by: Access, other: Access): readonly [rule: InterpRule, order: string] {
  const [one, two] = [by.moment, other.moment];
  const group = "a wait for its group by each thread that began it, and then a barrier";
  if (two.agent < one.world.kernel) return ["interp.block_race", "a wait for the kernel before"];
  if (two.world !== one.world)
    return ["interp.block_race", "nothing within a kernel or a parallel loop: give each block or iteration elements of its own"];
  if (two.kind === "product")
    return ["interp.in_flight", "a wait for its group by all threads of its team, and then a barrier or release"];
  if (two.kind === "copy" && !by.isWrite) return ["interp.on_its_way", group];
  if (two.rank !== one.rank) return ["interp.block_race", "a meeting of the cluster"];
  if (two.kind === "copy") return ["interp.race", group];
  if (two.kind === "box") return ["interp.race", "an await of the turn"];
  if (two.kind === "store")
    return ["interp.race", other.isWrite ? "the kernel's end" : "a barrier, before which the engine has read it"];
  const isOneWarp = Math.floor(two.thread / teamSize.warp) === Math.floor(one.thread / teamSize.warp);
  return ["interp.race", `a barrier of the ${isOneWarp ? "warp or " : ""}block between them`];
}

export function refusal(element: string, by: Access, other: Access): InterpError {
  const [rule, order] = ruleOf(by, other);
  return new InterpError(rule, `${element} is ${told(other)} and ${told(by)}, and nothing orders the two: it takes ${order}`);
}

export const unfenced = (element: string, by: Access, other: Access): InterpError =>
  new InterpError(
    "interp.proxy",
    `${element} is ${told(other)} and ${told(by)}, which does not see it: it takes a fence by the thread that wrote, and then a barrier`,
  );

export const slotRefusal = (element: string, other: Access): InterpError =>
  new InterpError(
    other.moment.kind === "product" ? "interp.in_flight" : "interp.race",
    `${element} is ${told(other)}, and its slot is released meanwhile: it takes ${
      other.moment.kind === "product" ? "a wait for its group by all threads of its team" : "a barrier"
    } before the release`,
  );
