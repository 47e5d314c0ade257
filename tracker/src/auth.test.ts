import { FarmError } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { parseTokens } from "./auth.ts";

const tokens = parseTokens(`# who may do what
client  client-token-1
builder builder-token
runner  runner-token   # the GPU box
admin   admin-token-1
`);
const farm = "/warpfarm.farm.v1.FarmService/OpenSession";
const worker = "/warpfarm.worker.v1.WorkerService/Synchronize";
const upload = "/warpfarm.artifact.v1.ArtifactService/Upload";
const download = "/warpfarm.artifact.v1.ArtifactService/Download";

function verdict(path: string, token?: string): string {
  try {
    tokens.authorize(path, token);
    return "ok";
  } catch (error) {
    return (error as FarmError).code;
  }
}

describe("tokens", () => {
  it.each([
    ["client-token-1", ["ok", "PERMISSION_DENIED", "PERMISSION_DENIED", "ok"]],
    ["builder-token", ["PERMISSION_DENIED", "ok", "ok", "ok"]],
    ["runner-token", ["PERMISSION_DENIED", "ok", "PERMISSION_DENIED", "ok"]],
    ["admin-token-1", ["ok", "ok", "ok", "ok"]],
    ["client-token-2", ["UNAUTHENTICATED", "UNAUTHENTICATED", "UNAUTHENTICATED", "UNAUTHENTICATED"]],
    [undefined, ["UNAUTHENTICATED", "UNAUTHENTICATED", "UNAUTHENTICATED", "UNAUTHENTICATED"]],
  ])("%s", (token, expected) => {
    expect([farm, worker, upload, download].map((path) => verdict(path, token))).toEqual(expected);
  });

  it("health is open to anybody, a path nobody named to admins only", () => {
    expect(verdict("/grpc.health.v1.Health/Check")).toBe("ok");
    expect(verdict("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", "runner-token")).toBe("ok");
    expect(verdict("/warpfarm.record.v1.RecordService/Query", "client-token-1")).toBe("PERMISSION_DENIED");
    expect(verdict("/warpfarm.record.v1.RecordService/Query", "admin-token-1")).toBe("ok");
  });

  it("a bad file is refused by line, and no token is repeated", () => {
    for (const text of ["", "client", "client short", "boss secret-token-9", "client secret-token-9 more"]) {
      try {
        parseTokens(text);
        throw new Error("was accepted");
      } catch (error) {
        expect(error).toBeInstanceOf(FarmError);
        expect((error as FarmError).message).not.toContain("secret");
      }
    }
  });
});
