/** The shapes that no knowledge comes from (bench/held-out.json). */
import { readFileSync } from "node:fs";
import { canonicalJson } from "@warpfarm/common";

const heldOut = JSON.parse(readFileSync(new URL("../bench/held-out.json", import.meta.url), "utf8"));

/** Whether these arguments of a template name a shape that is held out, in any order of a product's sides. */
export function isHeldOut(args) {
  const numbers = args.flat().filter((each) => typeof each === "number");
  const sides = canonicalJson(numbers.slice(0, 3).toSorted((a, b) => a - b));
  if (numbers.length === 3) return heldOut.products.some((each) => canonicalJson(each.toSorted((a, b) => a - b)) === sides);
  const image = canonicalJson(numbers.slice(0, 7));
  return heldOut.convolutions.some((each) => canonicalJson(each.slice(0, 7)) === image);
}
