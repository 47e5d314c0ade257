import { FarmError } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { TokenDoors } from "./token-doors.ts";
import { editTokenFile, hashOf, parseTokenFile } from "./token-file.ts";

const doors = new TokenDoors(
  parseTokenFile(`# who may do what
client  alice sha256:${hashOf("client-token-1")}
builder maker sha256:${hashOf("builder-token")}
runner  gpu-box sha256:${hashOf("runner-token")}   # the GPU box
runner  gpu1.example.com certificate
admin   boss sha256:${hashOf("admin-token-1")}
`),
);
const farm = "/warpfarm.farm.v1.FarmService/OpenSession";
const worker = "/warpfarm.worker.v1.WorkerService/Synchronize";
const upload = "/warpfarm.artifact.v1.ArtifactService/Upload";
const download = "/warpfarm.artifact.v1.ArtifactService/Download";

function verdict(path: string, token?: string): string {
  try {
    doors.authorize(path, token === undefined ? {} : { token });
    return "ok";
  } catch (error) {
    return (error as FarmError).code;
  }
}

describe("tokens", () => {
  it.each([
    ["client-token-1", ["ok", "PERMISSION_DENIED", "ok", "ok"]],
    ["builder-token", ["PERMISSION_DENIED", "ok", "ok", "ok"]],
    ["runner-token", ["PERMISSION_DENIED", "ok", "PERMISSION_DENIED", "ok"]],
    // An admin may register a builder; a runner is refused where it registers (second-builder.test.ts).
    ["admin-token-1", ["ok", "ok", "ok", "ok"]],
    ["client-token-2", ["UNAUTHENTICATED", "UNAUTHENTICATED", "UNAUTHENTICATED", "UNAUTHENTICATED"]],
    [undefined, ["UNAUTHENTICATED", "UNAUTHENTICATED", "UNAUTHENTICATED", "UNAUTHENTICATED"]],
  ])("%s", (token, expected) => {
    expect([farm, worker, upload, download].map((path) => verdict(path, token))).toEqual(expected);
  });

  it.each([
    [
      farm,
      "runner-token",
      "the token of gpu-box has the role runner, which may not see the farm and measure on it; give a token of the role client or admin",
    ],
    [
      upload,
      "runner-token",
      "the token of gpu-box has the role runner, which may not upload artifacts and headers; give a token of the role builder, client or admin",
    ],
    [
      worker,
      "client-token-1",
      "the token of alice has the role client, which may not register a builder or a runner; give a token of the role builder, runner or admin",
    ],
    [
      "/warpfarm.admin.v1.AdminService/CollectGarbage",
      "client-token-1",
      "the token of alice has the role client, which may not administer the farm; give a token of the role admin",
    ],
    [
      "/page/api/farm",
      "runner-token",
      "the token of gpu-box has the role runner, which may not see the page; give a token of the role client or admin",
    ],
  ])("a token of the wrong role at %s is told what it may not do, without the path", (path, token, words) => {
    expect(() => doors.authorize(path, { token })).toThrow(words);
  });

  it("health is open to anybody, a path nobody named to admins only", () => {
    expect(verdict("/grpc.health.v1.Health/Check")).toBe("ok");
    expect(verdict("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", "runner-token")).toBe("ok");
    expect(verdict("/warpfarm.other.v1.OtherService/Query", "client-token-1")).toBe("PERMISSION_DENIED");
    expect(verdict("/warpfarm.other.v1.OtherService/Query", "admin-token-1")).toBe("ok");
  });

  it("a bad file is refused by line, and no token is repeated", () => {
    const hash = `sha256:${hashOf("secret-token-9")}`;
    for (const line of [
      "client",
      "client secret-token-9",
      "boss secret-token-9",
      "client secret-token-9 more",
      `client local ${hash}`,
      `client -x ${hash}`,
      `client x ${hash.toUpperCase()}`,
      `client x ${hash} secret`,
      `client other ${hash}`,
      `admin boss ${hash}`,
    ]) {
      try {
        parseTokenFile(`client boss ${hash}\n\n${line}`);
        throw new Error("was accepted");
      } catch (error) {
        expect(error).toBeInstanceOf(FarmError);
        expect((error as FarmError).message).toMatch(/^token file, line 3: /);
        expect((error as FarmError).message).not.toContain("secret");
      }
    }
  });

  it("a principal is the name in the file, of a certificate its own name", () => {
    expect(doors.authorize(download, { token: "client-token-1" })).toEqual({ name: "alice", role: "client" });
    expect(doors.authorize(upload, { token: "builder-token" })).toEqual({ name: "maker", role: "builder" });
    expect(doors.authorize(worker, { certificate: "gpu1.example.com" })).toEqual({ name: "gpu1.example.com", role: "runner" });
    expect(() => doors.authorize(worker, { certificate: "gpu-box" })).toThrow("gpu-box is not in this tracker's token file");
    expect(() => doors.authorize(worker, { token: "gpu1.example.com" })).toThrow("this tracker does not know the token");
  });

  it("an edit keeps what it is not about, and adds at the end", () => {
    const text = `# team A\nclient a sha256:${hashOf("1")} # old\nadmin boss certificate\n\n`;
    const edited = editTokenFile(text, ({ name }) => name === "a", [{ role: "runner", name: "r", hash: hashOf("2") }]);
    expect(edited).toBe(`# team A\nadmin boss certificate\nrunner r sha256:${hashOf("2")}\n`);
  });
});
