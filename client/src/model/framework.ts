/** Times of a model's nodes in the framework from which it was captured (python/src/warpfarm/torch_capture.py). */
import { badInput, isMatchKey, keyWords } from "@warpfarm/common";
import type { OnnxModel } from "@warpfarm/proto/onnx";
import { longestSeconds } from "@warpfarm/records/logs";
import { type Group, isGroup, type Step } from "./groups.ts";
import type { Framework, ModelNode } from "./model.ts";

type Properties = OnnxModel["metadata_props"];
const entry = (properties: Properties, name: string): string | undefined =>
  properties.find(({ key }) => key === `warpfarm.${name}`)?.value;
const refuse = (what: string): never => {
  throw badInput(what);
};

/** Undefined for a file that no capture timed. */
export function frameworkIn({ metadata_props: properties, graph }: OnnxModel): Framework | undefined {
  const isTimed = graph?.node.some((node) => entry(node.metadata_props, "seconds") !== undefined);
  const [name, device, key] = ["framework", "device", "key"].map((each) => entry(properties, each));
  if (!isTimed && name === undefined && device === undefined && key === undefined) return undefined;
  if (!name || !device || name.length > 200 || device.length > 200)
    return refuse(
      `it has times of its nodes; it takes warpfarm.framework and warpfarm.device beside them, of 1 to 200 characters`,
    );
  if (key === undefined || !isMatchKey(key))
    return refuse(`it has ${JSON.stringify(key ?? "")} as warpfarm.key; it takes a kind of device: ${keyWords()}`);
  return { name, device, key };
}

/** Of a node; undefined where it has none. Throws FarmError that names the node. */
export function secondsIn(properties: Properties, node: string): number | undefined {
  const text = entry(properties, "seconds");
  if (text === undefined) return undefined;
  if (/^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) && Number(text) <= longestSeconds) return Number(text);
  return refuse(
    `the node ${node} has ${JSON.stringify(text.slice(0, 80))} as warpfarm.seconds; it takes a number from 0 to ${longestSeconds}`,
  );
}

/**
 * The framework's seconds for each step that is a task. A node that no task has was folded into what reads its result; where
 * nothing does, it is a view of what a task gives.
 */
export function secondsOf(nodes: readonly ModelNode[], steps: readonly Step[]): ReadonlyMap<Group, number> {
  const owners = new Map<string, Group>();
  for (const group of steps.filter(isGroup))
    for (const name of group.nodes.flatMap(({ outputs }) => outputs)) if (name !== "") owners.set(name, group);
  const found = nodes.map(({ outputs }) => outputs.map((name) => owners.get(name)).find((group) => group !== undefined));
  const placesOf = (side: "inputs" | "outputs") =>
    new Map(nodes.flatMap((node, i) => node[side].map((name) => [name, i] as const)));
  const [readers, writers] = [placesOf("inputs"), placesOf("outputs")];
  const firstOf = (names: readonly string[], places: ReadonlyMap<string, number>): Group | undefined =>
    found[Math.min(...names.flatMap((name) => (name === "" ? [] : (places.get(name) ?? []))))];
  // The last node first: its readers are known then.
  for (const [i, { outputs }] of [...nodes.entries()].reverse()) found[i] ??= firstOf(outputs, readers);
  const sums = new Map<Group, number>();
  for (const [i, { inputs, seconds }] of nodes.entries()) {
    found[i] ??= firstOf(inputs, writers);
    const group = found[i];
    if (group && seconds !== undefined) sums.set(group, (sums.get(group) ?? 0) + seconds);
  }
  return sums;
}
