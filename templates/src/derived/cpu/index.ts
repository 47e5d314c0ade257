/** The parts of a computation's schedule on a CPU. */
import type { Json } from "@warpfarm/common";
import { accessesOf, type ComputeOp, choiceKnob, formulasOf, type Graph, moveOf } from "@warpfarm/compiler/language";
import { directPart, inOrder } from "../direct.ts";
import { eitherPart } from "../either.ts";
import { divide, type Group } from "../groups.ts";
import type { Part } from "../part.ts";
import type { Nest, Planned } from "../planned.ts";
import { unprovenRows, withRows } from "../rows-graph.ts";
import { hasKind, isSum, reuseGroups, sizeOf } from "../stages.ts";
import { startOf } from "../start.ts";
import { lanesPart } from "./lanes.ts";
import { mapPart } from "./map.ts";
import { rowsPart } from "./rows.ts";
import { tilePart } from "./tile.ts";
import { vectorsOf } from "./vectors.ts";
import { isWideFor } from "./wide.ts";

/** A test, a function or a conversion would be done again for each term, and a vector cannot have the test. */
const stores = (producer: ComputeOp, reader: ComputeOp): boolean =>
  isWideFor(producer, reader) || (isSum(reader) && hasKind(producer.body, ["Select", "Call"]));

const leastLaneTerms = 16;

/** Few axes for vectors, but a reduction that goes along memory. */
function isAlongMemory({ kind, sums: [sum] }: Group, target: string): boolean {
  const last = sum?.reduce.at(-1);
  if (kind !== "sum" || !sum || !last || sizeOf(sum.reduce) < leastLaneTerms) return false;
  const isVector = accessesOf(sum.body).every((load) => ["none", "next"].includes(moveOf(load, last.loopVar).kind));
  return isVector && vectorsOf(sum, target, []).length === 0;
}

/** A part, and the stage before it that is stored or inlined; `first` is begun with. */
function withPadding(part: Part, pad: Group, target: string, first: "store" | "inline"): Part {
  const name = pad.root.output.name;
  const knob = choiceKnob(`${name}.place`, ["store", "inline"]);
  const stored = mapPart(pad, target);
  const firsts = stored.knobs.map(({ name, values: [value] }) => [name, value as Json] as const);
  return {
    ...part,
    knobs: [...part.knobs, knob, ...stored.knobs],
    constraints: [
      ...part.constraints,
      ...firsts.map(([own, value]) => `${knob.name} == "store" or ${own} == ${JSON.stringify(value)}`),
    ],
    start: () => new Map<string, Json>([...startOf(part), [knob.name, first], ...(first === "store" ? startOf(stored) : firsts)]),
    apply(schedule, values) {
      if (values.get(knob.name) === "inline") schedule.computeInline(schedule.stage(name));
      else stored.apply(schedule, values);
      part.apply(schedule, values);
    },
  };
}

export function cpuParts(given: Graph, target: string): Planned {
  const divided = divide(given, stores);
  const { graph, groups, unproven } = withRows(given, divided.groups);
  const reads = ({ sums }: Group, { root }: Group) =>
    sums.some((sum) => accessesOf(sum.body).some(({ buffer }) => buffer === root.output));
  const isWindows = (group: Group) => group.kind === "sum" && !isAlongMemory(group, target);
  /** Stages that only one nest of windows reads. */
  const pads = new Map<Group, Group>();
  for (const map of groups) {
    if (map.kind !== "map" || graph.outputs.includes(map.root.output)) continue;
    const readers = graph.ops.filter((op) =>
      formulasOf(op)
        .flatMap(accessesOf)
        .some(({ buffer }) => buffer === map.root.output),
    );
    const [reader] = groups.filter((group) => reads(group, map));
    if (readers.length === 1 && reader && isWindows(reader) && ![...pads.values()].includes(map)) pads.set(reader, map);
  }
  const padding = new Set(pads.values());
  const partOf = (group: Group): Part => {
    if (group.kind === "map") return mapPart(group, target);
    if (group.kind === "rows") return rowsPart(group, target);
    if (isAlongMemory(group, target)) return lanesPart(group, target);
    if (group.kind === "product") return tilePart(group, target);
    const sum = group.sums[0] as ComputeOp;
    const isVector = vectorsOf(sum, target, reuseGroups(sum)).length > 0;
    const ways = { tile: tilePart(group, target), direct: directPart(group, target) };
    const rule = `${ways.tile.rule} or ${ways.direct.rule}`;
    const part = eitherPart(rule, `${group.root.output.name}.form`, ways, isVector ? "tile" : "direct");
    const pad = pads.get(group);
    return pad ? withPadding(part, pad, target, isVector ? "store" : "inline") : part;
  };
  return {
    graph,
    inlined: divided.inlined.map(({ output }) => output.name),
    nests: groups
      .filter((group) => !padding.has(group))
      .map((group): Nest => {
        if (unproven.includes(group)) return unprovenRows(group, target);
        if (group.kind === "serial") return inOrder(group, target);
        const pad = pads.get(group);
        const direct = directPart(group, target);
        const apart: Part = pad ? withPadding(direct, pad, target, "inline") : direct;
        return { group, part: partOf(group), direct: apart, ...(pad && { before: [pad.root.output.name] }) };
      }),
  };
}
