/** A model of the knobs for annealing, which asks about many configs at a time. */
import type { ConfigIndex } from "@warpfarm/compiler";
import type { BoostModel } from "../boost/boost.ts";
import { CompiledModel } from "../boost/compiled.ts";
import type { KnobColumns } from "./knob-columns.ts";

/** Writes the model's prediction of each config. The model was trained on these columns. */
export function knobScorer(model: BoostModel, columns: KnobColumns): (points: ArrayLike<number>, scores: Float64Array) => void {
  const compiled = new CompiledModel(model);
  const width = compiled.asked.length;
  const values = new Float32Array(columns.width);
  let codes = new Uint8Array(0);
  return (points, scores) => {
    if (codes.length < points.length * width) codes = new Uint8Array(points.length * width);
    for (let i = 0; i < points.length; i++) {
      columns.write(points[i] as ConfigIndex, values, 0);
      compiled.encode(values, 0, codes, i * width);
    }
    compiled.predict(codes, scores);
  };
}
