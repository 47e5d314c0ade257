/** The inputs of `check`: what their fills say, and otherwise small integers. */
import { type Fill, filledValue, isFloat, Random } from "@warpfarm/common";
import { createData, fillOf, type Graph, roundTo, type TensorData } from "@warpfarm/compiler";

/** A power of two, at least 8 of which fit into the range. */
const stepOf = (from: number, to: number): number => 2 ** Math.floor(Math.log2((to - from) / 8));

function coarse({ from, to }: Extract<Fill, { readonly kind: "range" }>, value: number): number {
  const [least, most] = [Number(from), Number(to)];
  const step = stepOf(least, most);
  const whole = Number.isFinite(step) && step > 0 ? Math.round(value / step) * step : value;
  return Math.min(most, Math.max(least, whole));
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
          data[i] = round(fill.kind === "range" && isFloat(dtype) ? coarse(fill, value) : value);
        }
      }
      return [name, data];
    }),
  );
}
