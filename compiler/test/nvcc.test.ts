/** What test-support/nvcc.ts reads from its records, and what it has nvcc say anew. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, it } from "vitest";
import { needs } from "../../test-support/needs.ts";
import { compileCubin, compilersOn, nvccSays, textsIn } from "../../test-support/nvcc.ts";

const base = mkdtempSync(join(tmpdir(), "warpfarm-nvcc-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const directory = join(base, "records");
const plain = { directory, compilers: ["nvcc 1"], isAsked: false, isWritten: false };
const writing = { ...plain, isWritten: true };

let calls = 0;
const answering = (registers: number) => () => {
  calls++;
  return { registers };
};
beforeEach(() => {
  calls = 0;
  rmSync(directory, { recursive: true, force: true });
  expect(nvccSays(["-O3", "text"], answering(7), writing)).toEqual({ registers: 7 });
  expect(calls).toBe(1);
});

it("an answer that is recorded is not asked for", () => {
  expect(nvccSays(["-O3", "text"], answering(8), plain)).toEqual({ registers: 7 });
  expect(calls).toBe(1);
});

it("another text, another flag and another compiler are asked about, and recorded only where one asks for that", () => {
  for (let asked = 2; asked < 4; asked++) {
    expect(nvccSays(["-O3", "other"], answering(8), plain)).toEqual({ registers: 8 });
    expect(calls).toBe(asked);
  }
  nvccSays(["-O2", "text"], answering(8), plain);
  nvccSays(["-O3", "text"], answering(8), { ...plain, compilers: ["nvcc 2"] });
  expect(calls).toBe(5);
  expect(readdirSync(directory)).toHaveLength(1);
});

it("the campaign asks although it is recorded, and another answer is a fault", () => {
  expect(nvccSays(["-O3", "text"], answering(7), { ...plain, isAsked: true })).toEqual({ registers: 7 });
  expect(calls).toBe(2);
  expect(() => nvccSays(["-O3", "text"], answering(8), { ...plain, isAsked: true })).toThrow('nvcc says {"registers":8}');
});

it("a refusal is thrown and not recorded", () => {
  const refuse = () => {
    throw new Error("undefined identifier");
  };
  for (let i = 0; i < 2; i++) expect(() => nvccSays("wrong", refuse, writing)).toThrow("undefined identifier");
  expect(readdirSync(directory)).toHaveLength(1);
});

it("the compilers are those on the path", () => {
  const withVersion = (command: string, version: string) => {
    const path = join(base, version);
    mkdirSync(path, { recursive: true });
    for (const name of ["nvcc", "c++"]) {
      writeFileSync(join(path, name), `#!/bin/sh\necho ${name} ${name === command ? version : 1}\n`);
      chmodSync(join(path, name), 0o755);
    }
    return compilersOn(path);
  };
  expect(withVersion("", "a")).toEqual(withVersion("", "b"));
  const all = [withVersion("", "a"), withVersion("nvcc", "c"), withVersion("c++", "d")].map(String);
  expect(new Set(all).size).toBe(3);
});

it("a folder's texts are those of folders below it too", () => {
  const folder = join(base, "folder");
  mkdirSync(join(folder, "lib"), { recursive: true });
  writeFileSync(join(folder, "k.cu"), "k");
  writeFileSync(join(folder, "lib", "a.h"), "a");
  expect(textsIn(folder)).toEqual({ "k.cu": "k", "lib/a.h": "a" });
});

it("nvcc is asked about a text that no record knows, and says what is wrong with it", (ctx) => {
  needs(ctx, "nvcc");
  expect(() => compileCubin(`extern "C" __global__ void k(float *a) { *a = unknown; }`, "sm_90")).toThrow(
    `identifier "unknown" is undefined`,
  );
});
