/** Bundles of headers: the digest, compared with another hash of the same bytes, and documents that are malformed. */
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { bundleLimits, decodeBundle, encodeBundle } from "./bundle.ts";

const files = new Map([
  ["b/c++/x.hpp", "// \u00e9"],
  ["a.h", "#pragma once\n"],
]);

it("is named by what it holds, in whatever order it was found", () => {
  const bundle = encodeBundle(files);
  if (!bundle.ok) throw new Error(bundle.error);
  const text = '{"files":{"a.h":"#pragma once\\n","b/c++/x.hpp":"// \u00e9"},"version":1}';
  expect(Buffer.from(bundle.value.bytes).toString()).toBe(text);
  expect(bundle.value.digest).toBe(`sha256:${createHash("sha256").update(text).digest("hex")}`);
  expect(encodeBundle(new Map([...files].reverse()))).toEqual(bundle);
  expect(decodeBundle(bundle.value.bytes)).toEqual({ ok: true, value: new Map([...files].reverse()) });
});

it.each<[string, string]>([
  ["{", "is no JSON"],
  ["null", "is not a bundle of version 1"],
  ['{"version":2,"files":{"a.h":""}}', "is not a bundle of version 1"],
  ['{"version":1,"files":{"a.h":""},"more":1}', "is not a bundle of version 1"],
  ['{"version":1,"files":{}}', "has no files"],
  ['{"version":1,"files":{"a.h":1}}', '"a.h" is no text'],
  ['{"version":1,"files":{"../a.h":""}}', '"../a.h" is not a path'],
  ['{"version":1,"files":{"/a.h":""}}', '"/a.h" is not a path'],
  ['{"version":1,"files":{"x/.ssh/a":""}}', "is not a path"],
  ['{"version":1,"files":{"x//a":""}}', "is not a path"],
  ['{"version":1,"files":{"x\\\\a":""}}', "is not a path"],
  [`{"version":1,"files":{"${"x".repeat(241)}":""}}`, "is not a path"],
  ['{"version":1,"files":{"x":"","x/a":""}}', "x is both a file and a folder"],
])("%s is refused", (text, why) => {
  const read = decodeBundle(new TextEncoder().encode(text));
  expect(read.ok ? "taken" : read.error).toContain(why);
});

it("has limits, which both sides know", () => {
  const many = new Map(Array.from({ length: bundleLimits.files + 1 }, (_, i) => [`h${i}`, ""]));
  expect(encodeBundle(many)).toEqual({ ok: false, error: "has 20001 files; a bundle has 20000 at most" });
  const large = new Map([["a.h", "x".repeat(bundleLimits.bytes)]]);
  expect(encodeBundle(large)).toMatchObject({ ok: false, error: expect.stringMatching(/a bundle has 67108864 at most$/) });
  expect(decodeBundle(new Uint8Array(bundleLimits.bytes + 1)).ok).toBe(false);
});
