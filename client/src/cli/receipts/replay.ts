/**
 * Measures the program of a receipt again, with its options, on a device of the same kind, and says whether the time lies in the
 * receipt's prediction. Another kind of device, driver or code is another condition, of which the receipt says nothing.
 */
import {
  backendOf,
  defaultMeasureOptions,
  invariant,
  l2Of,
  type MeasureResult,
  measureErrorName,
  medianSeconds,
  type ProgramBytes,
  Random,
  toProgramDigest,
} from "@warpfarm/common";
import type { Receipt } from "@warpfarm/records/receipts";
import { remoteMeasurer } from "../../measure/remote.ts";
import { keysWhere } from "../../search/farm-there.ts";
import { checkBuilders } from "../../search/reach.ts";
import type { CliContext } from "../context.ts";
import { CliError, exitCode } from "../exit.ts";
import { type FarmAccess, openFarm, placeOf } from "../farm/farm-access.ts";
import type { DeviceFlags, FarmFlags } from "../farm/farm-flags.ts";
import { readSettings } from "../flags/settings.ts";
import { silenceOf } from "../tuning/silence.ts";

export type Replayed =
  | { readonly verdict: "inside" | "outside"; readonly seconds: number; readonly isSameCard: boolean }
  | { readonly verdict: "not comparable"; readonly why: string };

const notComparable = (why: string): Replayed => ({ verdict: "not comparable", why });

export async function replay(context: CliContext, receipt: Receipt, flags: FarmFlags & DeviceFlags): Promise<Replayed> {
  const { device, documents } = receipt;
  if (documents === undefined)
    return notComparable("it has no source (records receipt --no-source), so it cannot be measured again");
  const settings = await readSettings(context);
  const place = placeOf(context, settings, flags, backendOf(receipt.target));
  await using farm = await openFarm(context, settings, place);
  if (!keysWhere(farm, flags.where).includes(device.key) || !farm.devices.some(({ model }) => model?.name === device.name))
    return notComparable(`it was measured on ${device.name} (${device.key}), and here there is ${devicesOf(farm)}`);
  checkBuilders(farm, receipt.target, (message) => void context.stderr.write(`${message}\n`));
  const result = await measureOnce(context, farm, receipt, documents, flags.where);
  if (result.kind === "failed")
    throw new CliError(exitCode.noResult, `the replay failed: ${measureErrorName(result.errorNo)}: ${result.message}`);
  invariant(result.kind === "timed", "a replay is measured to its end");
  return compared(receipt, result);
}

const devicesOf = ({ devices }: Pick<FarmAccess, "devices">): string =>
  devices.length === 0 ? "no device" : [...new Set(devices.map(({ key, model }) => `${model?.name} (${key})`))].join(", ");

/** Judges a time; exported for its test. */
export function compared(
  {
    device,
    subjects,
    options,
    l2,
    checked,
    prediction,
  }: Pick<Receipt, "device" | "subjects" | "options" | "l2" | "checked" | "prediction">,
  result: Extract<MeasureResult, { readonly kind: "timed" }>,
): Replayed {
  const here = result.device;
  if (here.key !== device.key || here.name !== device.name)
    return notComparable(`it was measured on ${device.name} (${device.key}), and this on ${here.name} (${here.key})`);
  if (here.driver !== device.driver)
    return notComparable(`it was measured with driver ${device.driver}, and this with ${here.driver}`);
  if (result.artifact !== subjects.get("artifact"))
    return notComparable(
      `it was measured with ${subjects.get("artifact")}, and the compiler here made ${result.artifact} (${result.toolchain ?? "compiler unknown"})`,
    );
  if (result.checked !== checked)
    return notComparable(`its outputs were ${checked ? "" : "not "}compared, and here they were ${result.checked ? "" : "not"}`);
  const l2Here = l2Of(options, result.judged);
  if (l2Here !== l2) return notComparable(`its L2 cache was ${l2}, and here it was ${l2Here}`);
  if (result.observations.steady === false) return notComparable("here the device's power did not get steady in time");
  const seconds = medianSeconds(result.costs);
  const isInside = seconds >= prediction.low && seconds <= prediction.high;
  return { verdict: isInside ? "inside" : "outside", seconds, isSameCard: here.uuid === device.uuid };
}

async function measureOnce(
  context: CliContext,
  farm: FarmAccess,
  { device, subjects, options, target, task }: Receipt,
  documents: NonNullable<Receipt["documents"]>,
  where: string | undefined,
): Promise<MeasureResult> {
  const { incumbent: _, ...toItsEnd } = options;
  const { connect } = await import("@warpfarm/proto");
  await using tracker = connect(farm.channel);
  const selector = where === undefined ? device.key : `${device.key},${where}`;
  const programOf = (name: string, text: string): ProgramBytes => ({
    digest: toProgramDigest(subjects.get(name) ?? ""),
    bytes: Buffer.from(text),
  });
  const { nodes } = await tracker.farm.listNodes({ signal: farm.signal });
  const isOther = ({ facts }: (typeof nodes)[number]["devices"][number]) => facts.name !== device.name;
  const avoidNodes = nodes.filter(({ devices }) => devices.some(isOther)).map(({ node }) => node);
  using silence = silenceOf(context, tracker);
  const measurer = remoteMeasurer({
    farm: tracker.farm,
    task: `replay of a receipt: ${task}`,
    selector,
    options: { ...defaultMeasureOptions(backendOf(target)), ...toItsEnd },
    maxInFlight: 1,
    keep: "none",
    clock: context.clock,
    random: new Random(0),
    onSession: async (id) => silence.follow(id),
  });
  const reference = documents.reference === undefined ? {} : { reference: programOf("reference", documents.reference) };
  async function* inputs() {
    yield { sequence: 1, program: programOf("program", documents.program), ...reference, avoidNodes };
  }
  for await (const { result } of measurer.measure(inputs(), { signal: farm.signal })) return result;
  throw new CliError(exitCode.farmLost, "the farm gave no result");
}
