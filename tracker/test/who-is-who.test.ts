/**
 * Every method of every service, tried by everybody on what is somebody else's: alice's session and gpu1's registration. The
 * table says what comes of it. A method that has no row fails the test.
 */
import { randomUUID } from "node:crypto";
import * as grpc from "@grpc/grpc-js";
import { connect, loadServices } from "@warpfarm/proto";
import { expect, it } from "vitest";
import { useFarms } from "../../test-support/farm/farms.ts";
import { openRequest, synchronized } from "../../test-support/farm/scripted.ts";
import { TokenDoors } from "../src/doors/token-doors.ts";
import { hashOf, parseTokenFile } from "../src/doors/token-file.ts";
import { codeOf, parties, recordOf, rows, runnerOf, type Stage, speakAs, suiteOf } from "./who-is-who.testing.ts";

const { farm, undo } = useFarms();

const tokenFile = [
  ["client", "alice"],
  ["client", "bob"],
  ["builder", "builder1"],
  ["runner", "gpu1"],
  ["runner", "gpu2"],
  ["admin", "boss"],
].map(([role, name]) => `${role} ${name} sha256:${hashOf(`token-of-${name}`)}`);

it("every method of every service has a row", () => {
  const paths = Object.values(loadServices().definition)
    .filter((d) => !("format" in d))
    .flatMap((service) => Object.values(service as grpc.ServiceDefinition).map(({ path }) => path));
  expect(paths.length).toBeGreaterThanOrEqual(15);
  expect(Object.keys(rows).filter((name) => !name.startsWith("/grpc."))).toEqual(
    expect.arrayContaining(paths.map((path) => path.replace("/warpfarm.", ""))),
  );
});

it("nobody touches or sees what is another's, an admin does", async () => {
  const doors = new TokenDoors(parseTokenFile(tokenFile.join("\n")));
  const { address } = await farm({ doors });
  const as = (name: string) => {
    const c = connect({ address, ...(name === "nobody" ? {} : { token: `token-of-${name}` }) });
    undo.push(() => c[Symbol.asyncDispose]());
    return c;
  };
  const rawAs = (name: string) => {
    const client = new grpc.Client(address, grpc.credentials.createInsecure());
    undo.push(async () => client.close());
    const metadata = new grpc.Metadata();
    if (name !== "nobody") metadata.set("authorization", `Bearer token-of-${name}`);
    const same = (b: Buffer) => b;
    return (path: string) =>
      new Promise<unknown>((resolve, reject) => {
        const stream = client.makeBidiStreamRequest(path, same, same, metadata);
        stream.on("data", resolve);
        stream.on("error", reject);
        stream.on("end", () => resolve(undefined));
        stream.write(Buffer.alloc(0));
        stream.end();
      });
  };
  const alice = as("alice");
  const gpu1 = as("gpu1");
  const worker = await gpu1.worker.register(runnerOf(1));
  const table: Record<string, Record<string, string>> = {};
  for (const [name, { attempt }] of Object.entries(rows)) {
    const came: Record<string, string> = {};
    for (const party of parties) {
      const requestId = randomUUID();
      const { sessionId: session } = await alice.farm.openSession({ ...openRequest, requestId });
      const sessionLives = async () => (await alice.admin.listSessions()).some((s) => s.sessionId === session);
      const suite = await alice.suites.create(suiteOf());
      const recorded = randomUUID();
      await alice.records.append([recordOf(recorded)]);
      const stage: Stage = { tracker: as(party), raw: rawAs(party), session, requestId, sessionLives, worker, suite, recorded };
      let outcome = "";
      const code = await codeOf(
        attempt(stage).then((word) => {
          outcome = word;
        }),
      );
      came[party] = code === "ok" ? outcome : code;
      await alice.suites.cancel(suite);
      await alice.farm.closeSession(session);
      // gpu1 is who it was, whatever was tried.
      const { secret } = worker;
      const { leaving: _not, ...alive } = speakAs(stage);
      await synchronized(gpu1, { ...alive, reportOnly: true, secret });
    }
    table[name] = came;
  }
  expect(table).toEqual(Object.fromEntries(Object.entries(rows).map(([name, { comes }]) => [name, comes])));
});
