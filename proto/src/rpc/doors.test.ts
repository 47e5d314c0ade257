import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { certificateWarnings, isLoopback } from "./credentials.ts";
import { certificateName, OpenStreams, sameAsBefore } from "./doors.ts";
import { Closing } from "./synchronize-stream.ts";

it.each([
  ["localhost", true],
  ["::1", true],
  ["127.0.0.1", true],
  ["127.1.2.3", true],
  ["::ffff:127.0.0.1", true],
  ["::FFFF:127.255.255.254", true],
  ["::ffff:7f00:1", true],
  ["0:0:0:0:0:0:0:1", true],
  ["::ffff:10.0.0.1", false],
  ["::ffff:128.0.0.1", false],
  ["::127.0.0.1", false],
  ["127.0.0.256", false],
  ["::2", false],
  ["127.example.org", false],
  ["localhost.example.org", false],
  ["local", false],
  ["0.0.0.0", false],
  ["::", false],
  ["10.0.0.1", false],
])("%s is this machine: %s", (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

// Node writes a name that has a comma or a quotation mark as a JSON string. Its parts are not names of the certificate.
it.each([
  ["DNS:alice.example.org, URI:spiffe://farm/bob", "alice.example.org"],
  ["IP Address:10.0.0.1, URI:spiffe://farm/bob", "spiffe://farm/bob"],
  ["IP Address:10.0.0.1", undefined],
  ['DNS:"evil, DNS:alice.example.org", DNS:mallory.example.org', undefined],
])("the principal of a certificate with %s is %s", (names, principal) => {
  expect(certificateName(names)).toBe(principal);
});

it("an open stream goes on while its token stands for the same name and role", () => {
  const before = { name: "alice", role: "client" } as const;
  const check = (now: { name: string; role: "client" | "admin" }) =>
    sameAsBefore({ authorize: () => now }, "/a/b", { token: "t" }, before);
  expect(() => check({ name: "alice", role: "client" })).not.toThrow();
  for (const now of [{ name: "bob", role: "client" } as const, { name: "alice", role: "admin" } as const])
    expect(() => check(now)).toThrow(expect.objectContaining({ code: "UNAUTHENTICATED" }));
});

it("streams are looked at again and again while they are open, and never one that is over", () => {
  const open = new OpenStreams();
  const [first, second, over] = [new AbortController(), new AbortController(), new AbortController()];
  const seen: string[] = [];
  over.abort();
  for (const [name, { signal }] of Object.entries({ first, second, over })) open.add(() => seen.push(name), signal);
  const looked = () => {
    open.recheck();
    return seen.splice(0);
  };
  expect([looked(), looked()]).toEqual([
    ["first", "second"],
    ["first", "second"],
  ]);
  first.abort();
  expect(looked()).toEqual(["second"]);
  second.abort();
  expect(looked()).toEqual([]);
  // A check may end its own stream.
  const self = new AbortController();
  open.add(() => self.abort(), self.signal);
  open.add(() => seen.push("third"), new AbortController().signal);
  expect([looked(), looked()]).toEqual([["third"], ["third"]]);
});

it("a server that closes tells each call that still waits, and no other", () => {
  const closing = new Closing();
  const told: string[] = [];
  const [forget] = ["a", "b", "c"].map((name) => closing.onClose(() => told.push(name)));
  forget?.();
  expect(closing.isClosed).toBe(false);
  closing.close();
  expect([told, closing.isClosed]).toEqual([["b", "c"], true]);
});

it("a certificate that is over, near its end or not valid yet is told by its flag", () => {
  const cert = readFileSync(new URL("../../../tracker/test/testdata/server.pem", import.meta.url));
  const { validFrom, validTo } = new X509Certificate(cert);
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
  const day = 86_400_000;
  const warnings = (now: number) => certificateWarnings({ cert }, now);
  expect(warnings(from - 1)).toEqual([expect.stringMatching(/^the certificate of --tls-cert is valid from .* on only/)]);
  expect(warnings(from)).toEqual([]);
  expect(warnings(to - 15 * day)).toEqual([]);
  expect(warnings(to - 13 * day)).toEqual([expect.stringMatching(/^the certificate of --tls-cert expires on/)]);
  expect(warnings(to)).toEqual([expect.stringMatching(/^the certificate of --tls-cert expired on/)]);
});
