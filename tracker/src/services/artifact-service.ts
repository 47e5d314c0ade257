/** ArtifactService: uploads and downloads blobs in chunks, checked against their digests. */
import { createHash } from "node:crypto";
import { abortable, badInput, type Digest, FarmError, isDigest, toDigest } from "@warpfarm/common";
import { type ArtifactHandlers, chunkBytes } from "@warpfarm/proto";
import { Batcher } from "../flow/batcher.ts";
import { type Blob, getBlob, putBlobs, statBlobs, totalBytes, useBlobs } from "../store/sql/blobs.ts";
import type { Limits, TrackerContext } from "./context.ts";
import { type UploadInFlight, UploadsInFlight } from "./uploads-in-flight.ts";

const maxChunkBytes = 1 << 20;
const maxStat = 1024;

interface Header {
  readonly digest: string;
  readonly size: number;
}

const invalid = (message: string): never => {
  throw badInput(message);
};
const digestField = (field: string, value: string): Digest =>
  isDigest(value)
    ? toDigest(value)
    : invalid(`${field} is ${JSON.stringify(value.slice(0, 80))}; allowed: sha256:<64 lower-case hex digits>`);

/** How old the store's size may be in checks of uploads. What this tracker adds meanwhile is counted. */
const sizeEveryMs = 10_000;
/** The same before a refusal, so that a recent collection counts. */
const sizeWhenFullMs = 1_000;
/** Blobs stored in one statement. A batch of large ones must not delay small ones for long. */
const blobsAtOnce = 32;

export function artifactService({ db, limits, clock, audit, quotas }: TrackerContext): ArtifactHandlers {
  let stored = { at: Number.NEGATIVE_INFINITY, bytes: 0 };
  const uploads = new UploadsInFlight(limits, clock);
  const bytesOf = (blobs: readonly Blob[]) => blobs.reduce((n, b) => n + b.bytes.length, 0);
  async function lookAtSize(everyMs: number): Promise<void> {
    if (clock.monotonic() - stored.at > everyMs) stored = { at: clock.monotonic(), bytes: await totalBytes(db.lazy) };
  }
  /** When several blobs together do not fit, each is tried alone. */
  async function makeSureOfRoom(blobs: readonly Blob[]): Promise<void> {
    await lookAtSize(sizeWhenFullMs);
    const there = await statBlobs(
      db.lazy,
      blobs.map((b) => b.digest),
    );
    const fresh = bytesOf(blobs.filter(({ digest }) => !there.some((b) => b.digest === digest)));
    if (fresh > 0 && stored.bytes + fresh > limits.maxStoreBytes)
      throw new FarmError(
        "RESOURCE_EXHAUSTED",
        `the artifact store is full: it holds ${stored.bytes} bytes, ${fresh} more were to come, and it keeps at most ` +
          `${limits.maxStoreBytes}; warpfarm gc --older-than 10m makes room`,
      );
  }
  const put = new Batcher<Blob, boolean>(
    async (blobs) => {
      await lookAtSize(sizeEveryMs);
      if (stored.bytes + bytesOf(blobs) > limits.maxStoreBytes) await makeSureOfRoom(blobs);
      const fresh = await putBlobs(db, blobs);
      stored.bytes += bytesOf(blobs.filter((b) => fresh.has(b.digest)));
      return blobs.map((b) => fresh.has(b.digest));
    },
    { clock, maxItems: blobsAtOnce },
  );
  const sizes = new Batcher<Digest, number | undefined>(
    async (digests) => {
      // The caller is about to name the blob, so it must not be collected meanwhile.
      const there = await useBlobs(db.lazy, digests);
      return digests.map((d) => there.get(d));
    },
    { clock },
  );

  return {
    async Upload(requests, caller) {
      using inFlight = uploads.begin(caller.principal);
      const { digest, bytes } = await abortable(receive(requests, inFlight, limits), inFlight.signal);
      const { name, role } = caller.principal;
      if (role === "client") {
        const [there] = await statBlobs(db.lazy, [digest]);
        if (!there) quotas?.accountOf(name)?.keep(bytes.length);
      }
      const stored = await put.push({ digest, bytes, ...(role === "client" ? { principal: name } : {}) });
      audit.did("upload", caller, { digest, bytes: bytes.length, stored });
      return { stored };
    },

    async *Download({ digest }) {
      const bytes = await getBlob(db, digestField("digest", digest));
      if (!bytes) throw new FarmError("NOT_FOUND", `no artifact ${digest}`);
      for (let at = 0; at < bytes.length; at += chunkBytes) yield { chunk: Buffer.from(bytes.subarray(at, at + chunkBytes)) };
    },

    async Stat({ digests }) {
      if (digests.length > maxStat) invalid(`digests is ${digests.length} entries; allowed: at most ${maxStat}`);
      const named = digests.map((d, i) => digestField(`digests[${i}]`, d));
      const found = await Promise.all(named.map((digest) => sizes.push(digest)));
      return { blobs: named.flatMap((digest, i) => (found[i] === undefined ? [] : [{ digest, size: found[i] }])) };
    },
  };
}

async function receive(
  requests: AsyncIterable<{ readonly header?: Header | null; readonly chunk?: Buffer }>,
  inFlight: UploadInFlight,
  { maxBlobBytes }: Pick<Limits, "maxBlobBytes">,
): Promise<Blob> {
  let header: { readonly digest: Digest; readonly size: number } | undefined;
  const chunks: Buffer[] = [];
  const hash = createHash("sha256");
  let received = 0;
  for await (const request of requests) {
    if (!header) {
      const { digest, size } = request.header ?? invalid("the first message must be header");
      header = { digest: digestField("header.digest", digest), size };
      if (!Number.isSafeInteger(size) || size < 0) invalid(`header.size is ${size}; allowed: 0 to ${maxBlobBytes}`);
      if (size > maxBlobBytes) invalid(`header.size is ${size}; allowed: at most ${maxBlobBytes} bytes`);
      continue;
    }
    const chunk = request.chunk ?? invalid("after the header every message must be chunk");
    if (chunk.length > maxChunkBytes) invalid(`chunk is ${chunk.length} bytes; allowed: at most ${maxChunkBytes}`);
    received += chunk.length;
    if (received > header.size) invalid(`more than the ${header.size} bytes that header.size names`);
    inFlight.add(chunk.length);
    hash.update(chunk);
    chunks.push(chunk);
  }
  if (!header) return invalid("no header");
  if (received !== header.size) return invalid(`${received} bytes received; header.size names ${header.size}`);
  const digest = `sha256:${hash.digest("hex")}`;
  if (digest !== header.digest) return invalid(`the bytes have ${digest}; header.digest names ${header.digest}`);
  return { digest: header.digest, bytes: Buffer.concat(chunks) };
}
