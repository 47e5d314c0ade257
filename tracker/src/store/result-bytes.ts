/** MeasureResults in the store: the bytes of the wire message, which can hold NaN and any text of a log. */
import type { MeasureResult } from "@warpfarm/common";
import { loadServices, measureResultFromWire, measureResultToWire } from "@warpfarm/proto";

export const encodeResult = (result: MeasureResult): Uint8Array =>
  loadServices().measureResult.serialize(measureResultToWire(result));

export const decodeResult = (bytes: Uint8Array): MeasureResult =>
  measureResultFromWire("stored result", loadServices().measureResult.deserialize(Buffer.from(bytes)));
