/**
 * What traces cost: one search on two farms of this machine's processor, one of which sends spans of client, tracker, builder and
 * runner to a receiver in this process. The farms take turns, AB and BA, for ROUNDS (8) rounds of TRIALS (60) trials each.
 * Wanted: rates at most 2 % apart. The processor time of a farm's processes says more than a rate where other work goes on.
 */
import { createServer } from "node:http";
import { join } from "node:path";
import { processorSeconds } from "./dispatch/farm.mjs";
import { linesOf, openHome, ready } from "./gpu/shared/command.mjs";
import { medianOf, table } from "./table.mjs";

const [rounds, trials] = [Number(process.env.ROUNDS ?? 8), Number(process.env.TRIALS ?? 60)];

/** A collector that counts spans: OTLP over HTTP as JSON. */
async function openReceiver() {
  let spans = 0;
  const server = createServer(async (request, response) => {
    const bytes = [];
    for await (const some of request) bytes.push(some);
    for (const { scopeSpans } of JSON.parse(Buffer.concat(bytes).toString()).resourceSpans)
      for (const scope of scopeSpans) spans += scope.spans.length;
    response.setHeader("content-type", "application/json").end("{}");
  });
  await new Promise((listens) => server.listen(0, "127.0.0.1", () => listens(undefined)));
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${address.port}`, spans: () => spans, close: () => server.close() };
}

/** A farm whose processes have `endpoint` in their environment, and a search on it that says its rate and processor time. */
async function openFarm(name, endpoint) {
  const before = process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint !== undefined) process.env.OTEL_EXPORTER_OTLP_ENDPOINT = endpoint;
  const { home, start, alone, end, ...of } = openHome(`tracing-${name}`);
  if (before === undefined) delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const { part: tracker, address } = await of.tracker();
  const at = ["--tracker", address];
  const builder = start("builder", ...at, "--slots", "1");
  const runner = alone(name, "runner", ...at, "--device", "cpu", "--threads", "1", "--cache", join(home, "runner"));
  await Promise.all([ready(/^(builder) ready/m, builder), ready(/^(runner) ready/m, runner)]);
  const parts = [runner, builder, tracker];
  const seconds = () => parts.reduce((sum, { pid }) => sum + processorSeconds(pid), 0);
  let round = 0;
  return {
    async search() {
      const log = join(home, `${++round}.jsonl`);
      const how = ["--args", '{"M":128,"N":128,"K":128}', "--measure", "repeat=3,min_repeat=5ms", "--finalists", "0"];
      const of = ["--tuner", "random", "--seed", String(round), "--trials", String(trials), "--log", log];
      const begun = seconds();
      const { code, stderr } = await start("tune", "matmul_derived", ...how, ...of, ...at).ended;
      if (code !== 0) throw new Error(stderr);
      const times = linesOf(log)
        .map((line) => line.warpfarm.timestamp_ms)
        .sort((a, b) => a - b);
      const perSecond = (1_000 * (times.length - 1)) / (times[times.length - 1] - times[0]);
      return { perSecond, msOfTrial: (1_000 * (seconds() - begun)) / times.length };
    },
    end,
  };
}

export async function run() {
  const receiver = await openReceiver();
  const farms = [await openFarm("untraced", undefined), await openFarm("traced", receiver.url)];
  const found = farms.map(() => /** @type {{ perSecond: number, msOfTrial: number }[]} */ ([]));
  for (let round = 0; round < rounds; round++)
    for (const i of round % 2 === 0 ? [0, 1] : [1, 0]) found[i].push(await farms[i].search());
  for (const farm of farms) await farm.end();
  receiver.close();
  const [untraced, traced] = found;
  const ratios = (of) => untraced.map((each, i) => of(traced[i]) / of(each)).sort((a, b) => a - b);
  const rowOf = (what, of) => {
    const all = ratios(of);
    return {
      ...{ what, without: medianOf(untraced.map(of)).toFixed(2), with: medianOf(traced.map(of)).toFixed(2) },
      ...{ "with / without, median": medianOf(all).toFixed(3), least: all[0].toFixed(3), most: all[all.length - 1].toFixed(3) },
    };
  };
  table("tracing", [
    rowOf("trials a second", ({ perSecond }) => perSecond),
    rowOf("processor ms of a trial, tracker, builder and runner", ({ msOfTrial }) => msOfTrial),
  ]);
  table("spans", [{ trials: trials * rounds, spans: receiver.spans() }]);
}
