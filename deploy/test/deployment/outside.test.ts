/**
 * A farm from outside: tokens and certificate made by the commands of deploy/README.md, TLS on, and then only what an outside
 * user has. It runs the page's commands for the laptop, probes and metrics, and docs/other-languages.md, whose Python client uses
 * only the proto and golden files.
 */
import { readFileSync, symlinkSync } from "node:fs";
import { Client, credentials, type MethodDefinition } from "@grpc/grpc-js";
import { systemClock } from "@warpfarm/common";
import { livenessService } from "@warpfarm/proto";
import { service } from "grpc-health-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Link } from "../../../test-support/link.ts";
import { has, needs } from "../../../test-support/needs.ts";
import { quickTune, tinyTask } from "../faults/campaign.ts";
import { bin, Place, type Running, start } from "../warpfarm-process.ts";
import { bash, listingsOf, listingWith } from "./listings.ts";
import { at } from "./places.ts";
import { makeSecrets } from "./readme-secrets.ts";

const page = "docs/other-languages.md";
const slow = { timeout: 300_000 };

describe("a farm with TLS and tokens", () => {
  const place = new Place({}, { isAlone: true });
  const env = { ...place.env, BIN: bin(), NODE: process.execPath };
  const parts: Running[] = [];
  let link: Link | undefined;
  let tracker = "";
  let http = "";

  const ready = async (part: Running): Promise<string> => {
    let ended = false;
    void part.finished.then(() => (ended = true));
    for (const from = systemClock.monotonic(); !part.stdout().includes("ready"); await systemClock.sleep(20))
      if (ended || systemClock.monotonic() - from > 120_000) throw new Error(`not ready: ${part.stderr()}`);
    return part.stdout();
  };

  beforeAll(async () => {
    if (!has("cc") || !has("openssl")) return;
    await makeSecrets(place.directory, "localhost", env);
    const tls = ["--tls-cert", "farm.crt", "--tls-key", "farm.key"];
    const tokens = ["--token-file", "secrets/warpfarm-tokens/tracker"];
    const serving = start(place, [
      "tracker",
      "--listen",
      "127.0.0.1:0",
      "--http",
      "127.0.0.1:0",
      "--data",
      "memory",
      ...tls,
      ...tokens,
    ]);
    parts.push(serving);
    const [, port = "", page = ""] = /grpc=127\.0\.0\.1:(\d+) http=(\S+)/.exec(await ready(serving)) ?? [];
    link = await Link.to([`127.0.0.1:${port}`]);
    tracker = link.address.replace("127.0.0.1", "localhost");
    http = page;
    for (const role of ["builder", "runner"]) {
      const own = ["--tls-ca", "farm.crt", "--token-file", `secrets/warpfarm-tokens/${role}`];
      parts.push(start(place, [role, "--tracker", `localhost:${port}`, ...own]));
    }
    await Promise.all(parts.map(ready));
  }, 300_000);

  afterAll(async () => {
    for (const part of parts) part.kill("SIGTERM");
    const ends = await Promise.all(parts.map((part) => part.finished));
    await link?.[Symbol.asyncDispose]();
    place[Symbol.dispose]();
    // The grace periods of manifests and units assume that all processes end by themselves.
    expect(ends.map(({ code }) => code)).toEqual(parts.map(() => 143));
  });

  test("README's laptop tunes through its three settings", slow, async (ctx) => {
    needs(ctx, "cc", "openssl");
    const here = (text: string) => text.replaceAll("farm.example.com:443", tracker);
    const npx = 'npx() { shift; "$NODE" "$BIN" "$@"; }\n';
    const tune = here(listingWith("deploy/README.md", "export WARPFARM_TRACKER="));
    const small = tune.replace(
      "tune conv2d_nchw_cpu --trials 64",
      ["tune", ...tinyTask, ...quickTune, "--trials 2 --json"].join(" "),
    );
    expect(small).not.toBe(tune);
    const { stdout } = await bash(npx + small, { cwd: place.directory, env });
    expect(JSON.parse(stdout)).toMatchObject({ trials: 2, errors: { NO_ERROR: 2 } });
  });

  test("answers where the manifests probe and scrape, without a token", async (ctx) => {
    needs(ctx, "cc", "openssl");
    const client = new Client(tracker, credentials.createSsl(readFileSync(place.path("farm.crt"))));
    const { path, requestSerialize, responseDeserialize } = service.Check as MethodDefinition<
      object,
      { readonly status: string }
    >;
    const health = (service: string) =>
      new Promise((resolve, reject) =>
        client.makeUnaryRequest(path, requestSerialize, responseDeserialize, { service }, (error, value) =>
          error ? reject(error) : resolve(value?.status),
        ),
      );
    expect(await Promise.all(["", livenessService].map(health))).toEqual(["SERVING", "SERVING"]);
    client.close();
    for (const path of ["/healthz", "/readyz", "/metrics"]) expect((await fetch(`http://${http}${path}`)).status, path).toBe(200);
  });

  describe("docs/other-languages.md", () => {
    interface Line {
      readonly session?: string;
      readonly accepted?: number;
      readonly sequence?: number;
      readonly factors?: readonly (number | null)[];
      readonly costs?: readonly number[];
      readonly error?: string;
      readonly message?: string;
    }
    const linesOf = (text: string): readonly Line[] =>
      text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
    const sequencesOf = (lines: readonly Line[]) => lines.flatMap(({ sequence }) => sequence ?? []);

    beforeAll(async () => {
      if (!has("python-grpc") || tracker === "") return;
      for (const name of ["proto", "examples"]) symlinkSync(at(name), place.path(name));
      await bash(listingWith(page, "protoc"), { cwd: place.directory, env });
    });

    test("each of its Python listings is a piece of the example", () => {
      const example = readFileSync(at("examples/python/measure.py"), "utf8");
      const listings = listingsOf(page, "python");
      expect(listings.length).toBeGreaterThan(7);
      for (const listing of listings) expect(example).toContain(listing);
      expect(listingsOf(page, "bash")).toHaveLength(3);
      const packages = /apt-get install ([\w -]+)`/.exec(readFileSync(at(page), "utf8"))?.[1] ?? "none";
      expect(readFileSync(at(".ci/run"), "utf8")).toContain(packages);
    });

    test(
      "a foreign client measures, over a connection that is cut: each result once, a refusal among them",
      slow,
      async (ctx) => {
        needs(ctx, "cc", "openssl", "python-grpc");
        const running = bash(listingWith(page, '"$TRACKER"'), { cwd: place.directory, env: { ...env, TRACKER: tracker } });
        let cuts = 0;
        running.child.stdout?.on("data", () => {
          if (cuts < 2) link?.cut(cuts % 2 === 0 ? "reset" : "end");
          cuts++;
        });
        const lines = linesOf((await running).stdout);
        expect(cuts).toBeGreaterThan(1);
        expect(sequencesOf(lines).sort()).toEqual([1, 2, 3, 4, 5]);
        for (const { sequence, costs, error, message } of lines.slice(1))
          if (sequence === 5)
            expect([error, message]).toEqual(["ERROR_NO_INSTANTIATION", expect.stringContaining("do not cover")]);
          else {
            expect(costs).toHaveLength(3);
            for (const cost of costs ?? []) expect(cost).toBeGreaterThan(0);
          }
      },
    );

    test("a second process goes on with the session of a first: nothing is lost", slow, async (ctx) => {
      needs(ctx, "cc", "openssl", "python-grpc");
      await bash(listingWith(page, "--continues"), { cwd: place.directory, env: { ...env, TRACKER: tracker } });
      const [first, second] = ["first.txt", "second.txt"].map((name) => linesOf(readFileSync(place.path(name), "utf8")));
      expect(second?.[0]).toMatchObject({ session: first?.[0]?.session, accepted: 5 });
      expect(sequencesOf(first ?? [])).toHaveLength(2);
      // Receipts may be lost with the first process; then these results arrive once more.
      const again = sequencesOf(second ?? []);
      expect(new Set([...sequencesOf(first ?? []), ...again])).toEqual(new Set([1, 2, 3, 4, 5]));
      expect(new Set(again).size).toBe(again.length);
    });
  });
});
