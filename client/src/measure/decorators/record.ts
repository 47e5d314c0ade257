/** Keeps every result before anyone sees it: `keep` resolves when it is safe, and only then does the record go on. */
import type { MeasureRecord, Measurer } from "../measurer.ts";

export function recording(measurer: Measurer, keep: (record: MeasureRecord) => Promise<void>): Measurer {
  return {
    async *measure(inputs, options) {
      for await (const record of measurer.measure(inputs, options)) {
        await keep(record);
        yield record;
      }
    },
  };
}
