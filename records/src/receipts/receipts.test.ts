/** Receipts: what a foreign reader accepts, what no reader of ours accepts, and what they say. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { toSignedEntity, toTrustMaterial, Verifier } from "@sigstore/verify";
import { canonicalJson, digestOf, inputSeed } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import type { TuningRecord } from "../tuning-record.ts";
import { enveloped, signedBytes } from "./dsse.ts";
import { checkMode, keyFile, newPrivateKey, privateKeyIn, publicKeyOf, publicKeysIn } from "./keys.ts";
import { type ReadReceipt, readReceipt } from "./read.ts";
import { circumstancesOf, inToto, type Receipted, receiptFile, receiptType, sessionTimes, testResultType } from "./statements.ts";

const key = createPrivateKey(newPrivateKey());
const other = createPrivateKey(newPrivateKey());
const publics = (...keys: readonly KeyObject[]) => keys.map((each) => createPublicKey(each));

const documents = { program: '{"kind":"schedule"}', reference: '{"kind":"reference"}' };
const record: TuningRecord = {
  id: "session-of-ada/1",
  origin: { kind: "measured", by: "ada" },
  task: "matmul",
  args: [64],
  template: "matmul",
  templateVersion: "3",
  config: { code_hash: null, entity: [["tile", "sp", [-1, 8]]] },
  space: "sha256:claimed",
  search: { tuner: "auto", seed: 7 },
  program: digestOf(documents.program),
  reference: digestOf(documents.reference),
  artifact: digestOf("artifact"),
  target: "cuda/sm_90a",
  toolchain: "nvrtc 13.0",
  device: { key: "cuda/sm_90", name: "H100", uuid: "GPU-1", node: "secret-node", driver: "580", sharing: "exclusive" },
  observations: { smClockMhz: 1980, powerW: 300 },
  options: {
    number: 0,
    repeat: 3,
    minRepeatMs: 100,
    l2: "warm",
    timer: "cuda_graph",
    check: "reference",
    inputs: "full",
    runTimeoutMs: 1,
  },
  session: "session-of-ada",
  labels: { team: "secret" },
  result: { kind: "timed", costs: [1e-4, 1.01e-4, 1.02e-4], number: 9, checked: true },
  timestampMs: 1_790_000_000_000,
};
const of: Receipted = {
  record,
  sessions: [1, 2, 3, 4, 5].map((i) => ({ seconds: 1e-4 * (1 + i / 1000), timestampMs: i })),
  subjects: [
    { name: "program", digest: digestOf(documents.program) },
    { name: "artifact", digest: digestOf("artifact") },
    { name: "code", digest: digestOf("code") },
    { name: "reference", digest: digestOf(documents.reference) },
  ],
  documents,
  issuedMs: 1_790_000_000_001,
};
const file = receiptFile(of, key);
const linesOf = (text: string) => text.trimEnd().split("\n");
const statementsOf = (text: string) =>
  linesOf(text).map((line) => JSON.parse(Buffer.from(JSON.parse(line).payload, "base64").toString("utf8")));
const whyOf = (read: ReadReceipt) => (read.kind === "receipt" ? read : { kind: read.kind, why: read.why });

/** The file with statements changed and signed by that key. */
function signedAnew(
  change: (statements: { predicate: Record<string, never>; [name: string]: unknown }[]) => void,
  by = key,
): string {
  const statements = statementsOf(file);
  change(statements);
  return statements.map((each) => `${JSON.stringify(enveloped(canonicalJson(each), by))}\n`).join("");
}

describe("an envelope", () => {
  it("is signed as the protocol's own example is encoded", () => {
    // secure-systems-lab/dsse, protocol.md.
    expect(signedBytes("http://example.com/HelloWorld", Buffer.from("hello world")).toString()).toBe(
      "DSSEv1 29 http://example.com/HelloWorld 11 hello world",
    );
  });

  it.each(
    linesOf(file).map((line, i) => [i + 1, JSON.parse(line)]),
  )("of line %d is accepted by sigstore with the key alone", (_, envelope) => {
    const [signature] = envelope.signatures;
    const bundle = (payload: Buffer) => ({
      mediaType: "application/vnd.dev.sigstore.bundle.v0.3+json",
      content: {
        $case: "dsseEnvelope",
        dsseEnvelope: {
          payload,
          payloadType: envelope.payloadType,
          signatures: [{ keyid: signature.keyid, sig: Buffer.from(signature.sig, "base64") }],
        },
      },
      verificationMaterial: {
        content: { $case: "publicKey", publicKey: { hint: signature.keyid } },
        tlogEntries: [],
        timestampVerificationData: undefined,
      },
    });
    const verified = (payload: Buffer, signer: KeyObject) => {
      const none = { certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [], mediaType: "" };
      const trust = toTrustMaterial(none, () => ({ publicKey: createPublicKey(signer), validFor: () => true }));
      const verifier = new Verifier(trust, { tlogThreshold: 0, ctlogThreshold: 0, tsaThreshold: 0 });
      return verifier.verify(toSignedEntity(bundle(payload) as unknown as Parameters<typeof toSignedEntity>[0]));
    };
    const payload = Buffer.from(envelope.payload, "base64");
    expect(envelope.payloadType).toBe("application/vnd.in-toto+json");
    expect(verified(payload, key).key.equals(createPublicKey(key))).toBe(true);
    expect(() => verified(payload, other)).toThrow("signature verification failed");
    expect(() => verified(Buffer.concat([payload, Buffer.from(" ")]), key)).toThrow("signature verification failed");
  });
});

describe("a receipt", () => {
  it("is two statements of the same subjects, one of them in the form of in-toto's test results", () => {
    const [receipt, result] = statementsOf(file);
    expect([receipt._type, result._type]).toEqual(Array(2).fill("https://in-toto.io/Statement/v1"));
    expect([receipt.predicateType, result.predicateType]).toEqual([
      "urn:warpfarm:receipt:v1",
      "https://in-toto.io/attestation/test-result/v0.1",
    ]);
    expect(result.subject).toEqual(receipt.subject);
    expect(receipt.subject[0]).toEqual({ name: "program", digest: { sha256: digestOf(documents.program).slice(7) } });
    expect(result.predicate).toMatchObject({
      result: "PASSED",
      passedTests: ["every output agrees with the reference", "the time of repeated sessions was measured"],
      warnedTests: [],
      failedTests: [],
    });
    const options = result.predicate.configuration.at(-1);
    expect(`sha256:${options.digest.sha256}`).toBe(digestOf(Buffer.from(options.content, "base64")));
  });

  it("says all that was observed, apart from what a client said, and nothing of who and where", () => {
    const [{ predicate }] = statementsOf(file);
    expect(predicate.measurement).toEqual({
      device: { key: "cuda/sm_90", name: "H100", uuid: "GPU-1", driver: "580", sharing: "exclusive" },
      kind: "timed",
      costs: [1e-4, 1.01e-4, 1.02e-4],
      number: 9,
      checked: true,
      observations: { sm_clock_mhz: 1980, power_w: 300 },
      options: {
        ...{ number: 0, repeat: 3, min_repeat_ms: 100, run_timeout_ms: 1, l2: "warm", timer: "cuda_graph" },
        ...{ check: "reference", inputs: "full" },
      },
      toolchain: "nvrtc 13.0",
      timestamp_ms: 1_790_000_000_000,
    });
    expect(predicate.input_seed).toBe(inputSeed);
    expect(predicate.claimed).toEqual({
      ...{ task: "matmul", args: [64], template: "matmul", template_version: "3", config: [["tile", "sp", [-1, 8]]] },
      verified: false,
    });
    expect(JSON.stringify(statementsOf(file))).not.toMatch(/ada|secret|sha256:claimed|auto/);
    const verified = statementsOf(receiptFile({ ...of, record: { ...record, standing: "verified" } }, key));
    expect(verified[0].predicate.claimed.verified).toBe(true);
  });

  it("of outputs that nothing was compared with is a warning", () => {
    const result = { kind: "timed", costs: [1], checked: false } as const;
    const read = readReceipt(receiptFile({ ...of, record: { ...record, result } }, key), publics(key));
    expect(read).toMatchObject({ kind: "receipt", receipt: { outcome: "WARNED", checked: false } });
  });

  it("is read with any of the keys that its reader trusts", () => {
    expect(readReceipt(file, publics(other, key))).toMatchObject({
      kind: "receipt",
      receipt: {
        keyId: publicKeyOf(key).id,
        outcome: "PASSED",
        device: { name: "H100", uuid: "GPU-1" },
        options: { minRepeatMs: 100, l2: "warm" },
        sessions: 5,
        documents,
      },
    });
  });
});

describe("no reader believes", () => {
  const rows: readonly (readonly [what: string, text: string, kind: "wrong" | "none", why: RegExp])[] = [
    ["another key", receiptFile(of, other), "wrong", /no key of --key signed line 1/],
    [
      "one line of another key",
      `${linesOf(file)[0]}\n${linesOf(receiptFile(of, other))[1]}`,
      "wrong",
      /no key of --key signed line 2/,
    ],
    [
      "a key that the file brings",
      linesOf(receiptFile(of, other))
        .map((line) => JSON.stringify({ ...JSON.parse(line), publicKey: publicKeyOf(other).pem, keyid: publicKeyOf(key).id }))
        .join("\n"),
      "wrong",
      /no key of --key signed/,
    ],
    [
      "the right key id over another signature",
      linesOf(receiptFile(of, other))
        .map((line) => {
          const envelope = JSON.parse(line);
          return JSON.stringify({ ...envelope, signatures: [{ ...envelope.signatures[0], keyid: publicKeyOf(key).id }] });
        })
        .join("\n"),
      "wrong",
      /no key of --key signed/,
    ],
    [
      "a changed byte of the payload",
      file.replace(JSON.parse(linesOf(file)[0] as string).payload, (text) =>
        Buffer.from(Buffer.from(text, "base64").toString().replace('"GPU-1"', '"GPU-2"')).toString("base64"),
      ),
      "wrong",
      /no key of --key signed line 1/,
    ],
    [
      "the test result of another receipt of the same kernel",
      `${linesOf(receiptFile({ ...of, issuedMs: 5 }, key))[0]}\n${linesOf(file)[1]}`,
      "wrong",
      /test result is of another receipt/,
    ],
    [
      "other subjects in the test result",
      signedAnew(([, result]) => {
        (result as unknown as { subject: unknown }).subject = [{ name: "program", digest: inToto(digestOf("x")) }];
      }),
      "wrong",
      /test result is of another receipt/,
    ],
    [
      "a subject of another digest in the test result",
      signedAnew(([, result]) => {
        const { subject } = result as unknown as { subject: { digest: unknown }[] };
        (subject[0] as { digest: unknown }).digest = inToto(digestOf("x"));
      }),
      "wrong",
      /test result is of another receipt/,
    ],
    [
      "a document of another digest",
      ((): string => {
        const [receipt, result] = statementsOf(file);
        receipt.predicate.documents.program = "{}";
        result.predicate.configuration[0].digest = inToto(digestOf(canonicalJson(receipt)));
        return [receipt, result].map((each) => JSON.stringify(enveloped(canonicalJson(each), key))).join("\n");
      })(),
      "wrong",
      /its program has sha256:.*, and its subject says/,
    ],
    ["an empty file", "\n", "none", /it is empty/],
    ["text", "hello\nhello\n", "none", /line 1 is no DSSE envelope/],
    ["a cut line", file.slice(0, -40), "none", /line 2 is no DSSE envelope/],
    ["the receipt alone", linesOf(file)[0] as string, "none", /takes one statement of/],
    ["the test result twice", `${file}${linesOf(file)[1]}`, "none", /takes one statement of/],
    ["the receipt twice", `${linesOf(file)[0]}\n${file}`, "none", /takes one statement of/],
    ["a statement of another kind", JSON.stringify(enveloped('{"_type":"x"}', key)), "none", /line 1 has no in-toto Statement/],
    [
      "a payload of another type",
      linesOf(file)
        .map((line) => JSON.stringify({ ...JSON.parse(line), payloadType: "application/json" }))
        .join("\n"),
      "none",
      /line 1 has no in-toto Statement/,
    ],
    [
      "a predicate of a later major version",
      signedAnew(([receipt]) => {
        (receipt as unknown as { predicateType: string }).predicateType = "urn:warpfarm:receipt:v2";
      }),
      "none",
      /takes one statement of urn:warpfarm:receipt:v1/,
    ],
    [
      "a prediction without an end",
      signedAnew(([receipt]) => {
        (receipt as unknown as { predicate: { prediction: unknown } }).predicate.prediction = { level: 0.99, low: 1 };
      }),
      "none",
      /is not in form: prediction.high/,
    ],
  ];
  it.each(rows)("%s", (_what, text, kind, why) => {
    expect(whyOf(readReceipt(text, publics(key)))).toEqual({ kind, why: expect.stringMatching(why) });
  });

  it("lines of two keys, though it trusts both", () => {
    const mixed = `${linesOf(file)[0]}\n${linesOf(receiptFile(of, other))[1]}`;
    expect(whyOf(readReceipt(mixed, publics(key, other)))).toEqual({
      kind: "wrong",
      why: "its lines are signed by different keys",
    });
  });

  it("and a later minor version, with more fields, is read", () => {
    const more = statementsOf(file);
    more[0].predicate.audited_seconds = 1;
    more[1].predicate.configuration[0].digest = inToto(digestOf(canonicalJson(more[0])));
    const text = more.map((each) => JSON.stringify(enveloped(canonicalJson(each), key))).join("\n");
    expect(readReceipt(text, publics(key)).kind).toBe("receipt");
    expect([more[0].predicateType, more[1].predicateType]).toEqual([receiptType, testResultType]);
  });
});

describe("keys", () => {
  it("are given away with their dates, and read from what is given", () => {
    const [one, two] = [key, other].map((each, i) => ({
      ...publicKeyOf(each),
      sinceMs: 1e12 + i,
      ...(i === 0 ? {} : { untilMs: 2e12 }),
    }));
    const text = keyFile([one, two] as never);
    expect(text).toContain(
      `Receipt key ${publicKeyOf(other).id}\nsince 2001-09-09T01:46:40.001Z, until 2033-05-18T03:33:20.000Z\n`,
    );
    expect(publicKeysIn("k", text).map((each) => publicKeyOf(each).id)).toEqual([publicKeyOf(key).id, publicKeyOf(other).id]);
    expect(text).not.toContain("PRIVATE");
  });

  it.each([
    ["nothing", "", /k holds no public key in PEM/],
    ["the private key", newPrivateKey(), /k holds no public key in PEM/],
    [
      "a key of another kind",
      generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ type: "spki", format: "pem" }) as string,
      /not of Ed25519/,
    ],
    ["a broken one", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", /not of Ed25519/],
  ])("%s is no public key", (_, text, why) => {
    expect(() => publicKeysIn("k", text)).toThrow(why);
  });

  it("that sign are private ones of Ed25519, and a refusal repeats nothing of the file", () => {
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" }) as string;
    for (const text of ["", "my secret", rsa, publicKeyOf(key).pem])
      expect(() => privateKeyIn("k", text)).toThrow(
        /^k holds no private Ed25519 key in PEM; warpfarm keys rotate --file makes one$/,
      );
    expect(sign(null, Buffer.from("x"), privateKeyIn("k", newPrivateKey()))).toHaveLength(64);
  });

  it.each([
    [0o600, 1000, true],
    [0o400, 1000, true],
    [0o640, 1000, false],
    [0o604, 1000, false],
    [0o610, 1000, false],
    [0o440, 0, true],
    [0o640, 0, true],
    [0o660, 0, false],
    [0o444, 0, false],
  ])("of mode %o that user %d owns: usable by user 1000 is %s", (mode, uid, usable) => {
    const check = () => checkMode("a key", { mode: 0o100_000 | mode, uid }, 1000);
    if (usable) expect(check).not.toThrow();
    else expect(check).toThrow(`the key a key has mode ${mode.toString(8)}, so others may read it; run chmod 600 'a key'`);
  });
});

describe("sessions", () => {
  const at = (session: string, timestampMs: number, ...costs: number[]): TuningRecord => ({
    ...record,
    ...{ session, timestampMs },
    result: { kind: "timed", costs },
  });
  it("have one time each, in their order, and one that another was given counts once", () => {
    expect(sessionTimes([at("b", 9, 4), at("a", 1, 1, 2, 9), at("a", 2, 6), at("c", 9, 4)])).toEqual([
      { seconds: 4, timestampMs: 1 },
      { seconds: 4, timestampMs: 9 },
    ]);
  });

  it("belong together where code, card, driver, sharing, conditions and check are the same", () => {
    const same = circumstancesOf(record);
    expect(circumstancesOf({ ...record, options: { ...record.options, runTimeoutMs: 2, buildTimeoutMs: 3 } })).toBe(same);
    expect(circumstancesOf({ ...record, device: { ...record.device, node: "n2" } as never, timestampMs: 3 })).toBe(same);
    const others: readonly Partial<TuningRecord>[] = [
      { artifact: digestOf("b") },
      { program: digestOf("b") },
      { reference: digestOf("b") },
      { options: { ...record.options, l2: "flushed" } },
      { options: { ...record.options, repeat: 4 } },
      ...["uuid", "driver", "name", "sharing"].map((name) => ({ device: { ...record.device, [name]: "x" } as never })),
      { result: { kind: "timed", costs: [1], checked: false } },
      { interleaved: { run: "r", place: 1, of: 2 } },
      { observations: { steady: false } },
      { options: { ...record.options, power: "sustained" } },
      { judged: { not: "in-out" } },
      { judged: { sets: 3, commitment: "" } },
      { judged: { sets: 3, commitment: "", audit: { sets: 9, secret: "", scored: [1] } } },
    ];
    for (const each of others) expect(circumstancesOf({ ...record, ...each })).not.toBe(same);
  });
});
