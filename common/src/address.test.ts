import { expect, it } from "vitest";
import { toAddress, toAddresses } from "./address.ts";

it("an address is a name or a number and a port up to 65535", () => {
  expect(["box:9290", "127.0.0.1:0", "[::1]:65535", "[FE80::1.2.3.4]:1", "a-b_c.d:00080"].map(toAddress)).toEqual([
    { host: "box", port: 9290 },
    { host: "127.0.0.1", port: 0 },
    { host: "::1", port: 65_535 },
    { host: "FE80::1.2.3.4", port: 1 },
    { host: "a-b_c.d", port: 80 },
  ]);
  const none = [
    "",
    "box",
    "box:",
    ":1",
    "box:65536",
    "box:100000",
    "::1:1",
    "[::1]",
    "[]:1",
    "[box]:1",
    "a b:1",
    "box:-1",
    "http://box:1",
  ];
  expect(none.filter((text) => toAddress(text) !== undefined)).toEqual([]);
});

it("of a list the first part that is none is told by its place, then the first that occurs twice", () => {
  expect(toAddresses("a:1")).toEqual({ ok: true, value: ["a:1"] });
  expect(toAddresses(" a:1 ,b:2,[::1]:3 ")).toEqual({ ok: true, value: ["a:1", "b:2", "[::1]:3"] });
  expect(toAddresses("a:1,b,c")).toEqual({ ok: false, error: { part: "b", parts: 3, wrong: 2 } });
  expect(toAddresses("a:1,")).toEqual({ ok: false, error: { part: "", parts: 2, wrong: 2 } });
  expect(toAddresses("a:1,b:2,b:2,a:1")).toEqual({ ok: false, error: { part: "b:2", parts: 4, wrong: undefined } });
});
