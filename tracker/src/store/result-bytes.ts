/** MeasureResults as the store keeps them: the bytes of the wire message, which can hold NaN and anything a log may say. */
import type { MeasureResult } from "@warpfarm/common";
import { loadServices, measureResultFromWire, measureResultToWire } from "@warpfarm/proto";

export const encodeResult = (result: MeasureResult): Uint8Array =>
  loadServices().measureResult.serialize(measureResultToWire(result));

export const decodeResult = (bytes: Uint8Array): MeasureResult =>
  measureResultFromWire("stored result", loadServices().measureResult.deserialize(Buffer.from(bytes)));
