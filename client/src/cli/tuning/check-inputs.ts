/**
 * The inputs of `check`: what their fills say, and otherwise small integers. Floats have few bits, so that sums are exact in any
 * order and a difference is a fault, not rounding.
 */
import { type Fill, filledValue, isFloat, Random } from "@warpfarm/common";
import { createData, fillOf, type Graph, roundTo, type TensorData } from "@warpfarm/compiler";

/** The value as a multiple of a power of two, of which at least 8 fit into the width. */
function whole(value: number, width: number): number {
  const step = 2 ** Math.floor(Math.log2(width / 8));
  return Number.isFinite(step) && step > 0 ? Math.round(value / step) * step : value;
}

/** The float with few bits, within the fill's range. */
function coarse(fill: Fill, value: number): number {
  if (fill.kind === "normal") return whole(value, Number(fill.deviation));
  if (fill.kind !== "range") return value;
  const [least, most] = [Number(fill.from), Number(fill.to)];
  return Math.min(most, Math.max(least, whole(value, most - least)));
}

export function inputsOf(graph: Graph): Map<string, TensorData> {
  const random = new Random(0);
  return new Map(
    graph.inputs.map((input, buffer): [string, TensorData] => {
      const { name, shape, dtype } = input;
      const size = shape.reduce((product, extent) => product * extent, 1);
      const data = createData(dtype, size);
      const fill = fillOf(input);
      const round = roundTo(dtype);
      const [low, values] = dtype === "int1" || dtype === "bool" ? [0, 2] : dtype === "uint8" ? [0, 6] : [-2, 6];
      for (let i = 0; i < size; i++) {
        if (fill === undefined) data[i] = low + random.below(values);
        else {
          const value = filledValue({ dtype, shape }, fill, 0, buffer, i);
          data[i] = round(isFloat(dtype) ? coarse(fill, value) : value);
        }
      }
      return [name, data];
    }),
  );
}
