/** A dispatch table as a C++ header and as JSON. */
import { countWords, type Json } from "@warpfarm/common";
import { type DispatchTable, valuesOf } from "@warpfarm/records/suites";
import { percent } from "./report-words.ts";

export const dispatchJson = ({ task, key, target, kernels, shapes, meanRegret, worstRegret, unmeasured }: DispatchTable) => ({
  version: 1,
  task,
  device: key,
  target,
  mean_regret: meanRegret,
  worst_regret: worstRegret,
  unmeasured_pairs: unmeasured,
  kernels: kernels.map((entity, kernel) => ({
    kernel,
    config: valuesOf(entity),
  })),
  shapes: shapes.map(
    ({
      task: {
        search: { args },
        weight,
      },
      kernel,
      seconds,
      bestSeconds,
      regret,
    }) => ({
      args,
      weight,
      kernel,
      seconds,
      best_seconds: bestSeconds,
      regret,
    }),
  ),
});

/** Arguments that identify a shape: numbers, and the elements of pairs one by one. Words are matched by their text. */
const isNumeric = (value: Json): boolean =>
  typeof value === "number" || (Array.isArray(value) && value.every((each) => typeof each === "number"));

/**
 * A function from a shape to the number of its kernel: the shape's own if it is in the table, otherwise that of the nearest shape
 * (sum of the absolute differences of the logarithms of its sizes) with the same words. `names`: those of the arguments.
 */
export function dispatchHeader(table: DispatchTable, names: readonly string[]): string {
  const { task, key, kernels, shapes, meanRegret, worstRegret } = table;
  const first = shapes[0]?.task.search.args ?? [];
  const isSize = first.map(isNumeric);
  const sizes = names.flatMap((name, i) => {
    const value = first[i] as Json;
    if (!isSize[i]) return [];
    return Array.isArray(value) ? value.map((_, at) => `${name}_${at}`) : [name];
  });
  const words = names.filter((_, i) => !isSize[i]);
  const rows = shapes.map(
    ({
      task: {
        search: { args },
      },
      kernel,
      regret,
    }) => {
      const numbers = args.filter((_, i) => isSize[i]).flat();
      const texts = args.filter((_, i) => !isSize[i]).map((word) => JSON.stringify(String(word)));
      return `    {{${numbers.join(", ")}}, {${[...texts, "nullptr"].join(", ")}}, ${kernel}}, // ${percent(regret, 2)} slower than the best known`;
    },
  );
  const name = `${task}_${key}`.replace(/[^A-Za-z0-9]+/g, "_");
  const parameters = [...sizes.map((size) => `long long ${size}`), ...words.map((word) => `const char *${word}`)].join(", ");
  const same = words.map((word, i) => `std::strcmp(row.words[${i}], ${word}) == 0`).join(" && ") || "true";
  const head = [
    `${task} on ${key}: ${countWords(kernels.length, "kernel")} for ${countWords(shapes.length, "shape")}. Made by warpfarm suite table.`,
    `Regret, time over the best time known, less 1: ${percent(meanRegret, 2)} in the weighted mean, ${percent(worstRegret, 2)} at worst.`,
    "",
    ...kernels.map(
      (entity, i) => `kernel ${i}: ${entity.map(([knob, , value]) => `${knob} ${JSON.stringify(value)}`).join(", ")}`,
    ),
  ];
  return `${head.map((line) => `// ${line}`.trimEnd()).join("\n")}
#pragma once
#include <cmath>
#include <cstring>

namespace warpfarm {

constexpr int ${name}_kernels = ${kernels.length};

/// The kernel for a shape: its own, or that of the nearest shape of the table with the same words; -1 when there is none.
inline int ${name}(${parameters}) {
  struct Row {
    long long sizes[${Math.max(1, sizes.length)}];
    const char *words[${words.length + 1}];
    int kernel;
  };
  static const Row rows[] = {
${rows.join("\n")}
  };
  const long long sizes[] = {${sizes.join(", ") || "0"}};
  int kernel = -1;
  double least = HUGE_VAL;
  for (const Row &row : rows) {
    if (!(${same})) continue;
    double distance = 0;
    for (int i = 0; i < ${sizes.length}; i++) distance += std::fabs(std::log((row.sizes[i] + 1.0) / (sizes[i] + 1.0)));
    if (distance < least) {
      least = distance;
      kernel = row.kernel;
    }
  }
  return kernel;
}

} // namespace warpfarm
`;
}
