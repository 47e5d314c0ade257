/** Stores every result before anyone sees it: the record is passed on after `keep` has resolved. */
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
