/** The page's files, which `npm run build` puts beside this code. They are read once, and packed at most once. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Context } from "hono";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};

interface Asset {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  gzip?: Buffer;
}

export type Assets = ReadonlyMap<string, Asset>;

const built = fileURLToPath(new URL("../page/", import.meta.url));

/** Empty where the page was not built. */
export function readAssets(folder = built): Assets {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && types[extname(entry.name)] !== undefined)
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    names.map((path) => {
      const plain = readFileSync(path);
      const asset: Asset = {
        type: types[extname(path)] as string,
        etag: `"${createHash("sha256").update(plain).digest("base64url").slice(0, 16)}"`,
        plain,
      };
      return [path.slice(folder.length).replaceAll("\\", "/"), asset] as const;
    }),
  );
}

/** The file of that name, or undefined. Ranges are not offered: the files are small. */
export function answerAsset(c: Context, assets: Assets, name: string): Response | undefined {
  const asset = assets.get(name);
  if (!asset) return undefined;
  c.header("content-type", asset.type);
  c.header("etag", asset.etag);
  c.header("vary", "accept-encoding");
  c.header("cache-control", name.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache");
  if (c.req.header("if-none-match") === asset.etag) return c.body(null, 304);
  if (!/\bgzip\b/.test(c.req.header("accept-encoding") ?? "")) return c.body(new Uint8Array(asset.plain));
  c.header("content-encoding", "gzip");
  asset.gzip ??= gzipSync(asset.plain, { level: 9 });
  return c.body(new Uint8Array(asset.gzip));
}
