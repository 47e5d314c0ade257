/** ArtifactService: blobs in and out in chunks, checked against the digest that names them. */
import { createHash } from "node:crypto";
import { type Digest, FarmError, isDigest, toDigest } from "@warpfarm/common";
import { type ArtifactHandlers, chunkBytes } from "@warpfarm/proto";
import { getBlob, putBlob, statBlobs } from "../store/sql/blobs.ts";
import type { TrackerContext } from "./context.ts";

const maxChunkBytes = 1 << 20;
const maxStat = 1024;

const invalid = (message: string): never => {
  throw new FarmError("INVALID_ARGUMENT", message);
};
const digestField = (field: string, value: string): Digest =>
  isDigest(value)
    ? toDigest(value)
    : invalid(`${field} is ${JSON.stringify(value.slice(0, 80))}; allowed: sha256:<64 lower-case hex digits>`);

export function artifactService({ db, limits }: TrackerContext): ArtifactHandlers {
  return {
    async Upload(requests) {
      let header: { readonly digest: Digest; readonly size: number } | undefined;
      const chunks: Buffer[] = [];
      const hash = createHash("sha256");
      let received = 0;
      for await (const request of requests) {
        if (!header) {
          const { digest, size } = request.header ?? invalid("the first message must be header");
          header = { digest: digestField("header.digest", digest), size };
          if (!Number.isSafeInteger(size) || size < 0) invalid(`header.size is ${size}; allowed: 0 to ${limits.maxBlobBytes}`);
          if (size > limits.maxBlobBytes)
            throw new FarmError("RESOURCE_EXHAUSTED", `header.size is ${size}; allowed: at most ${limits.maxBlobBytes} bytes`);
          continue;
        }
        const chunk = request.chunk ?? invalid("after the header every message must be chunk");
        if (chunk.length > maxChunkBytes) invalid(`chunk is ${chunk.length} bytes; allowed: at most ${maxChunkBytes}`);
        received += chunk.length;
        if (received > header.size) invalid(`more than the ${header.size} bytes that header.size names`);
        hash.update(chunk);
        chunks.push(chunk);
      }
      if (!header) return invalid("no header");
      if (received !== header.size) return invalid(`${received} bytes received; header.size names ${header.size}`);
      const digest = `sha256:${hash.digest("hex")}`;
      if (digest !== header.digest) return invalid(`the bytes have ${digest}; header.digest names ${header.digest}`);
      return { stored: await putBlob(db, header.digest, Buffer.concat(chunks), limits.maxStoreBytes) };
    },

    async *Download({ digest }) {
      const bytes = await getBlob(db, digestField("digest", digest));
      if (!bytes) throw new FarmError("NOT_FOUND", `no artifact ${digest}`);
      for (let at = 0; at < bytes.length; at += chunkBytes) yield { chunk: Buffer.from(bytes.subarray(at, at + chunkBytes)) };
    },

    async Stat({ digests }) {
      if (digests.length > maxStat) invalid(`digests is ${digests.length} entries; allowed: at most ${maxStat}`);
      const rows = await statBlobs(
        db,
        digests.map((d, i) => digestField(`digests[${i}]`, d)),
      );
      return { blobs: [...rows] };
    },
  };
}
