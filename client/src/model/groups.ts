/**
 * Divides a network into groups of nodes, each a task: a convolution, product, pool, reduction or rearrangement with the
 * elementwise nodes that follow it at the same place, as derived schedules take them; softmax and norms with those before them;
 * products with the transposes around them. A reshape is no task: it is another view of the same bytes.
 */
import type { NodeSpec } from "@warpfarm/templates";
import type { Net } from "./net.ts";

export interface Group {
  readonly nodes: readonly NodeSpec[];
  readonly kind: "heavy" | "rows" | "move" | "map";
}
export interface View {
  readonly view: string;
  readonly of: string;
}
export type Step = Group | View;

export const isGroup = (step: Step): step is Group => "nodes" in step;

const views = new Set(["Reshape", "Flatten", "Squeeze", "Unsqueeze"]);
const moves = new Set([
  "Transpose",
  "Concat",
  "Slice",
  "Split",
  "Pad",
  "Gather",
  "Expand",
  "Tile",
  "Resize",
  "DepthToSpace",
  "SpaceToDepth",
]);
/** Those that read an element once at most: what moves elements for one of them does so on the way. */
const passing = new Set(["Transpose", "Slice", "Pad"]);
const rows = new Set([
  "Softmax",
  "LogSoftmax",
  "LayerNormalization",
  "RMSNormalization",
  "InstanceNormalization",
  "GroupNormalization",
]);
const heavy =
  /^(Conv|ConvTranspose|MatMul|Gemm|\w*Pool|Reduce\w+|ArgMax|ArgMin|MatMulInteger|QLinearMatMul|ConvInteger|QLinearConv)$/;
/** Nodes of a group at most. */
const mostNodes = 24;

function kindOf({ op }: NodeSpec): Group["kind"] {
  if (heavy.test(op)) return "heavy";
  if (rows.has(op)) return "rows";
  return moves.has(op) ? "move" : "map";
}

class Dividing {
  readonly #net: Net;
  readonly #steps: { nodes: NodeSpec[]; kind: Group["kind"] }[] = [];
  /** By the name of the view. */
  readonly #views = new Map<string, View>();
  readonly #of = new Map<string, { nodes: NodeSpec[]; kind: Group["kind"] }>();
  readonly #readers = new Map<string, number>();
  /** Of each node, by its outputs. */
  readonly #places: ReadonlyMap<string, number>;

  constructor(net: Net) {
    this.#net = net;
    this.#places = new Map(net.nodes.flatMap(({ outputs }, i) => outputs.map((name) => [name, i] as const)));
    for (const { inputs } of net.nodes)
      for (const name of new Set(inputs)) this.#readers.set(name, (this.#readers.get(name) ?? 0) + 1);
  }

  run(): readonly Step[] {
    for (const node of this.#net.nodes) {
      if (views.has(node.op)) {
        const view = node.outputs[0] as string;
        this.#views.set(view, { view, of: node.inputs[0] as string });
        continue;
      }
      const kind = kindOf(node);
      const turned = node.op === "MatMul" ? this.#turned(node) : [];
      const host = this.#joined(node, kind);
      if (host) {
        host.nodes.push(node);
        if (kind === "rows") host.kind = "rows";
      }
      const group = host ?? { nodes: [...turned, node], kind };
      if (!host) this.#steps.push(group);
      for (const { outputs } of group.nodes) for (const output of outputs) if (output !== "") this.#of.set(output, group);
    }
    return this.#ordered();
  }

  /** The group that the node joins. */
  #joined(node: NodeSpec, kind: Group["kind"]) {
    if (kind === "map") return this.#hostOf(node);
    if (kind === "rows") return this.#before(node);
    return passing.has(node.op) ? this.#moved(node) : undefined;
  }

  /** A group that moves elements, or a product that is to be stored in another order, which this node alone reads. */
  #moved({ op, inputs: [x = ""] }: NodeSpec) {
    const group = this.#of.get(x);
    const isProduct = op === "Transpose" && group?.nodes.some((one) => one.op === "MatMul");
    const isFit = isProduct || group?.kind === "move";
    return isFit && (group?.nodes.length ?? mostNodes) < mostNodes && this.#isPrivate(x) ? group : undefined;
  }

  #placeOf = (node: NodeSpec | undefined): number =>
    this.#places.get(node?.outputs.find((name) => name !== "") as string) as number;
  #shape = (name: string): string => this.#net.kinds.get(name)?.shape.join() ?? "";

  /** Whether the group's result is read by one node alone. */
  #isPrivate(name: string): boolean {
    return this.#readers.get(name) === 1 && !this.#net.needed.has(name);
  }

  /**
   * The group whose result this elementwise node alone reads, at the same place. The heaviest comes first, then the latest.
   * Nothing else that the node reads depends on such a group.
   */
  #hostOf(node: NodeSpec) {
    const output = node.outputs[0] as string;
    const found = node.inputs.flatMap((name) => {
      const group = this.#of.get(name);
      const isFit =
        group !== undefined &&
        group.nodes.length < mostNodes &&
        group.nodes.at(-1)?.outputs.join() === name &&
        this.#isPrivate(name) &&
        this.#shape(name) === this.#shape(output);
      return isFit ? [group] : [];
    });
    const weight = (group: Group) =>
      ["map", "move", "rows", "heavy"].indexOf(group.kind) * 1e6 + this.#steps.indexOf(group as never);
    return found.toSorted((a, b) => weight(b) - weight(a))[0];
  }

  /** An elementwise group whose result is this node's rows. */
  #before(node: NodeSpec) {
    const [x = ""] = node.inputs;
    const group = this.#of.get(x);
    const isFit = group?.kind === "map" && this.#isPrivate(x) && this.#shape(x) === this.#shape(node.outputs[0] as string);
    return isFit ? group : undefined;
  }

  /** The transposes of a product's operands that nobody else reads: it reads what they read. They are no steps any more. */
  #turned({ inputs }: NodeSpec): readonly NodeSpec[] {
    const groups = new Set(inputs.flatMap((name) => (this.#isPrivate(name) ? (this.#of.get(name) ?? []) : [])));
    const own = [...groups].filter(({ nodes }) => nodes.every(({ op }) => op === "Transpose"));
    for (const group of own) this.#steps.splice(this.#steps.indexOf(group), 1);
    return own.flatMap(({ nodes }) => nodes);
  }

  /** Each step after those that give what it reads. */
  #ordered(): readonly Step[] {
    const all: readonly Step[] = [...this.#steps, ...this.#views.values()];
    const writer = new Map<string, Step>();
    for (const step of all)
      for (const name of isGroup(step) ? step.nodes.flatMap(({ outputs }) => outputs) : [step.view]) writer.set(name, step);
    const done = new Set<Step>();
    const order: Step[] = [];
    const visit = (step: Step): void => {
      if (done.has(step)) return;
      done.add(step);
      for (const name of isGroup(step) ? step.nodes.flatMap(({ inputs }) => inputs) : [step.of]) {
        const from = writer.get(name);
        if (from && from !== step) visit(from);
      }
      order.push(step);
    };
    // In the order of their last nodes, so that steps keep the model's order where they can.
    const place = (step: Step) => (isGroup(step) ? this.#placeOf(step.nodes.at(-1)) : (this.#places.get(step.view) as number));
    for (const step of all.toSorted((a, b) => place(a) - place(b))) visit(step);
    return order;
  }
}

export const divided = (net: Net): readonly Step[] => new Dividing(net).run();
