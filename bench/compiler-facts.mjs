/**
 * What the compiler's facts, registers and spilled bytes, are worth to a model that ranks configs of a kernel: on the recorded
 * space that has them, KTT's coulomb3d on an RTX 2080 Ti (client/test/spaces/ORIGIN.md). From k configs drawn at random the
 * library's trees learn the order, and rank all others.
 *
 *   npm run build && node bench/compiler-facts.mjs
 *
 *   knobs      from the knobs alone
 *   built      and from the facts of each config, which a search has when it has built all that it ranks
 *   predicted  and from facts that other trees predict by the knobs, which costs no build
 */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { predict, train } from "../client/dist/tuner/boost/boost.js";
import { ranking } from "../client/dist/tuner/boost/ranking.js";
import { rankCorrelation } from "../client/dist/tuner/xgb/rank.js";
import { Random } from "../common/dist/index.js";

const seeds = 30;
const space = new URL("../client/test/spaces/coulomb3d-RTX_2080_Ti.ktt.json.gz", import.meta.url);
/** @type {{ us: number, knobs: number[], facts: number[] }[]} */
const configs = JSON.parse(gunzipSync(readFileSync(space)).toString()).Results.map((result) => {
  const { RegistersCount: registers, PrivateMemorySize: spilled } = result.ComputationResults[0].CompilationData;
  return { us: result.TotalDuration, knobs: result.Configuration.map((knob) => Number(knob.Value)), facts: [registers, spilled] };
});

/** @param {readonly (readonly number[])[]} rows */
const matrix = (rows) => ({ rows: rows.length, columns: rows[0]?.length ?? 0, values: Float32Array.from(rows.flat()) });

/** Rank correlation with the times of the other configs, by the features that the model uses. */
function correlations(k, seed) {
  const random = new Random(seed);
  const drawn = [...configs];
  for (let i = drawn.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [drawn[i], drawn[j]] = [drawn[j], drawn[i]];
  }
  const [known, others] = [drawn.slice(0, k), drawn.slice(k)];
  const fastest = Math.min(...known.map(({ us }) => us));
  const labels = known.map(({ us }) => fastest / us);
  const wanted = others.map(({ us }) => -us);
  const knobs = matrix(others.map((config) => config.knobs));
  const guessed = [0, 1].map((fact) => {
    const rows = { features: matrix(known.map((config) => config.knobs)), labels: known.map(({ facts }) => facts[fact]) };
    return predict(train(rows, { seed }), knobs);
  });
  const judged = (learnt, asked) =>
    rankCorrelation(predict(train({ features: matrix(learnt), labels }, { ...ranking, seed }), matrix(asked)), wanted);
  const whole = ({ knobs: own, facts }) => [...own, ...facts];
  return {
    knobs: judged(
      known.map((config) => config.knobs),
      others.map((config) => config.knobs),
    ),
    built: judged(known.map(whole), others.map(whole)),
    predicted: judged(
      known.map(whole),
      others.map((config, i) => [...config.knobs, ...guessed.map((values) => values[i])]),
    ),
  };
}

console.log(`${configs.length} configs, mean rank correlation over ${seeds} draws`);
for (const k of [8, 16, 32, 64]) {
  const all = Array.from({ length: seeds }, (_, seed) => correlations(k, seed));
  const mean = (which) => (all.reduce((sum, one) => sum + one[which], 0) / seeds).toFixed(2);
  console.log(`from ${k}: knobs ${mean("knobs")}, built ${mean("built")}, predicted ${mean("predicted")}`);
}
