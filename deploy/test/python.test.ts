/** The Python package: its wheel built by its one command, offline, and its tests on a farm with real builders. */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { readBundle } from "../../client/src/kernel/bundles.ts";
import { needs } from "../../test-support/needs.ts";
import { command } from "./command.testing.ts";
import { KernelFarm } from "./kernel-farm.testing.ts";
import { bin, Place } from "./warpfarm-process.ts";

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const exec = promisify(execFile);

/** `spare`: parameters behind those of the kernel, as Triton has them for scratch memory. */
const ptx = (spare: string): string =>
  `.version 7.8\n.target sm_90\n.address_size 64\n.visible .entry add(.param .u64 c, .param .u64 a, .param .u32 n${spare}) {\n  ret;\n}\n`;
const numbers = [0, 1, -3, 0.1, 1e21, 1.5e300, 1e-7, 0.000001, 1.25e-5, -2.5e-9, 123456.789, 2 ** 53];

/** Where the wheel is installed, once for the tests of this file. */
const installation = new Place();
afterAll(() => installation[Symbol.dispose]());
let installing: Promise<void> | undefined;
const installed = (): Promise<void> => {
  installing ??= install(installation);
  return installing;
};

/** Builds and installs the wheel with the lines of docs/python.md, from a copy of the sources, without an index of packages. */
async function install(place: Place): Promise<void> {
  cpSync(at("python"), place.path("repository/python"), { recursive: true });
  cpSync(at("proto/warpfarm"), place.path("repository/proto/warpfarm"), { recursive: true });
  const [, lines = ""] = /```sh\n(cd python &&[\s\S]*?)```/.exec(readFileSync(at("docs/python.md"), "utf8")) ?? [];
  const env = { ...process.env, no_proxy: "", HOME: place.directory, PIP_NO_INDEX: "1", PYTHONDONTWRITEBYTECODE: "1" };
  await exec("bash", ["-ec", lines], { cwd: place.path("repository"), env });
  expect(readdirSync(place.path("repository/python/dist"))).toEqual([
    expect.stringMatching(/^warpfarm-[\d.]+-py3-none-any\.whl$/),
  ]);
}

const testsOf = async (place: Place, file: string, env: NodeJS.ProcessEnv): Promise<string> => {
  const child = { cwd: place.directory, env: { ...env, PYTHONDONTWRITEBYTECODE: "1" } };
  const ended = exec(installation.path("warpfarm-python/bin/python"), [at(`python/tests/${file}`), "-v"], child);
  return (await ended.catch((error: { readonly stderr: string }) => error)).stderr;
};

test("the wheel installs as documented; the command and connections are told", { timeout: 600_000 }, async (ctx) => {
  needs(ctx, "python-grpc", "python-wheel", "python-venv", "openssl");
  using place = new Place();
  await installed();
  for (const [cert, key] of [
    ["ca.pem", "key.pem"],
    ["second.pem", "other.pem"],
  ] as const) {
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
    const files = ["-keyout", place.path(key), "-out", place.path(cert)];
    await exec("openssl", [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-days",
      "2",
      ...subject,
      ...files,
    ]);
  }
  expect(await testsOf(place, "test_farm.py", process.env)).toMatch(/\nRan 14 tests in [\s\S]*\nOK\n$/);
  expect(await testsOf(place, "test_streams.py", process.env)).toMatch(/\nRan 12 tests in [\s\S]*\nOK\n$/);
});

test("the wheel is built by one command, and its tests pass on a farm", { timeout: 600_000 }, async (ctx) => {
  needs(ctx, "nvcc", "python-grpc", "python-wheel", "python-venv");
  await using farm = await KernelFarm.start();
  const { place, tracker } = farm.forTest();
  await installed();

  mkdirSync(place.path("golden"), { recursive: true });
  writeFileSync(place.path("numbers.json"), JSON.stringify(numbers.map((number) => [number, String(number)])));
  const launch = ["--launch", "entry=add,grid=1,block=64"];
  const pointers = [
    { name: "c", dtype: "float32", shape: [64], role: "out" },
    { name: "a", dtype: "float32", shape: [64] },
    { scalar: "int32", value: 1 },
  ];
  for (const [name, spare, args] of [
    ["k", "", pointers],
    ["triton", ", .param .u64 scratch", [...pointers, { scalar: "int64", value: 0 }]],
  ] as const) {
    writeFileSync(place.path(`${name}.ptx`), ptx(spare));
    const built = await command(place, [
      "build",
      `./${name}.ptx`,
      ...launch,
      "--args",
      JSON.stringify(args),
      "-o",
      `${name}.cubin`,
    ]);
    expect(built.code, built.stderr).toBe(0);
  }
  mkdirSync(place.path("headers/lib/.hidden"), { recursive: true });
  for (const [name, text] of [
    ["lib/twice.hpp", '#include "detail"\n// \u00fc\ud83d\ude00 \u007f \u001f "\\\n'],
    ["lib/detail", "/* twice */ // of one\n#pragma once\n__device__ inline float twice(float x) { return 2 * x; }\n"],
    ["lib/.hidden/a.h", "#error hidden\n"],
    ["lib/readme.md", "no header\n"],
    ["lib/id_rsa", "-----BEGIN OPENSSH PRIVATE KEY-----\n"],
    ["lib/passwords", "# include <a>\n"],
    ["lib/LICENSE", "no header\n"],
    ["Z.cuh", "\0"],
    ["a-b+c.cuh", "\tx\r\n"],
  ] as const)
    writeFileSync(place.path(`headers/${name}`), text);
  const { digest: bundle } = await readBundle(place.path("headers"), "headers");
  const env = {
    ...place.env,
    WARPFARM_TEST_BUNDLE: bundle,
    WARPFARM_TEST_TRACKER: tracker,
    WARPFARM_TEST_COMMAND: JSON.stringify([process.execPath, bin()]),
    WARPFARM_TEST_GOLDEN: at("proto/test/golden"),
  };
  expect(await testsOf(place, "test_warpfarm.py", env)).toMatch(/\nRan 13 tests in [\s\S]*\nOK\n$/);
});
