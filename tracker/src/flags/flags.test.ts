import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parseTrackerFlags } from "./flags.ts";

const directory = mkdtempSync(join(tmpdir(), "warpfarm-flags-"));
afterAll(() => rmSync(directory, { recursive: true }));
const file = (name: string, text: string) => {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
};
const tokenFile = file("tokens", "client alice certificate\n");
const cert = file("cert", "CERT");
const key = file("key", "KEY");
const parse = (...argv: string[]) => parseTrackerFlags(argv, "/default");
const tls = ["--tls-cert", cert, "--tls-key", key];

describe("tracker flags", () => {
  it("defaults are loopback", () => {
    expect(parse()).toMatchObject({ listen: "127.0.0.1:9290", http: "127.0.0.1:9291", data: "/default", exitWithParent: false });
    expect(parse("--http", "none", "--lease-ttl", "2.5s")).toMatchObject({ http: undefined, leaseTtlMs: 2_500 });
    expect(parse("--artifact-space", "0.5")).toMatchObject({ maxStoreBytes: 2 ** 29, quotas: { maxKeptBytes: 2 ** 28 } });
    expect(parse().quotas).toEqual({});
  });

  it.each([
    [["--listen", "0.0.0.0:9290"], "is not loopback: give --tls-cert, --tls-key and --token-file, or --insecure"],
    [["--listen", "0.0.0.0:9290", ...tls], "is not loopback"],
    [["--listen", "0.0.0.0:9290", "--token-file", tokenFile], "is not loopback"],
    [["--listen", "[::]:9290"], "is not loopback"],
    [["--http", "0.0.0.0:80"], "--http 0.0.0.0:80 is not loopback"],
    [["--listen", "nonsense"], "is not host:port"],
    [["--listen", "127.0.0.1:99999"], "is not host:port"],
    [["--tls-cert", cert], "--tls-cert and --tls-key go together"],
    [["--tls-ca", cert], "--tls-ca needs"],
    [["--token-file", "/no/such"], "--token-file /no/such"],
    [["--token-file", cert], "token file, line 1"],
    [["--receipt-key", "/no/such"], "the key /no/such cannot be read"],
    [["--receipt-key", tokenFile], `the key ${tokenFile} has mode 644, so others may read it; run chmod 600 ${tokenFile}`],
    [["--quota", "sessions=2.5"], 'sessions of --quota is "2.5"; allowed: a whole number from 1 to 100000'],
    [["--quota", "session=2"], '--quota has no "session" (did you mean sessions?); it takes name=value of sessions, inputs, '],
    [["--quota", "sessions=2,"], '--quota has no ""; it takes name=value of sessions'],
    [["--quota", "sessions"], 'sessions of --quota is ""; allowed: a whole number from 1 to 100000'],
    [["--quota", "sessions=2,inputs=3,sessions=4"], "--quota names sessions twice"],
    [["--quota", "inputs=2", "--quota", "inputs=2"], "--quota names inputs twice"],
    [["--quota", "upload_mb=127"], 'upload_mb of --quota is "127"; allowed: 128 to 1000000 MB'],
    [["--quota", "build_time=5"], 'build_time of --quota is "5", without a unit'],
    [["--lease-ttl", "soon"], '--lease-ttl is "soon"'],
    [
      ["--lease-ttl", "30"],
      '--lease-ttl is "30", without a unit: write 30s; it takes a time such as 500ms, 10s or 2m, from 1s to 1d',
    ],
    [["--keep-artifacts", "1m"], '--keep-artifacts is "1m"; it takes a time such as 500ms, 10s or 2m, from 2m to 366d'],
    [["--artifact-space", "0"], '--artifact-space is "0"; allowed: 0.1 to 1000000 GiB'],
    [["--artifact-space", "4G"], '--artifact-space is "4G"'],
    [["--lisen", "x"], "there is no --lisen (did you mean --listen?)"],
    [["extra"], "extra"],
  ])("%j is refused", (argv, message) => {
    expect(() => parse(...argv)).toThrow(message);
    expect(() => parse(...argv)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  });

  it("quotas are of one flag, which may be said again", () => {
    const said = ["--quota", "sessions=2,inputs=3,input_mb=4,artifact_mb=5,suite_mb=6,import_mb=7,watches=8,uploads=9"];
    const more = ["--quota", "build_timeout=10s", "--quota", "build_time=11m,device_time=12h,upload_mb=128"];
    const mb = 2 ** 20;
    expect(parse(...said, ...more, "--artifact-space", "1").quotas).toEqual({
      ...{ maxOwnSessions: 2, maxInputs: 3, maxInputBytes: 4 * mb, maxKeptBytes: 5 * mb, maxSuiteBytes: 6 * mb },
      ...{ maxImportedBytes: 7 * mb, maxWatches: 8, maxUploads: 9, maxBuildTimeoutMs: 10_000, maxBuildMs: 660_000 },
      ...{ maxDeviceMs: 43_200_000, maxUploadBytes: 128 * mb },
    });
  });

  it("other addresses open with TLS and tokens, or insecurely on purpose", () => {
    expect(parse("--listen", "0.0.0.0:1", ...tls, "--token-file", tokenFile)).toMatchObject({
      listen: "0.0.0.0:1",
      tls: { cert: Buffer.from("CERT") },
    });
    expect(parse("--listen", "0.0.0.0:1", "--http", "0.0.0.0:2", "--insecure").http).toBe("0.0.0.0:2");
  });

  it("--database-url or its variable names the store, a directory on the command line goes before the variable", () => {
    const dataOf = (argv: string[], url?: string) => parseTrackerFlags(argv, "/default", url).data;
    const url = "postgres://farm@db/farm";
    expect([dataOf([]), dataOf([], url), dataOf(["--data", "memory"], url), dataOf(["--database-url", url])]).toEqual([
      "/default",
      url,
      "memory",
      url,
    ]);
    expect(() => dataOf(["--database-url", url, "--data", "memory"])).toThrow("give one of them");
    expect(() => dataOf(["--database-url", "mysql://x"])).toThrow("postgres://");
  });
});
