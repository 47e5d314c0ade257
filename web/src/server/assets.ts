/**
 * The page's files, which `npm run build` puts beside this code, each with its .br and .gz. They are read once. Browsers keep
 * files with hashed names for ever and ask again for the others.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
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
  readonly br?: Buffer;
  readonly gzip?: Buffer;
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
      const packed = (suffix: string) => (existsSync(path + suffix) ? readFileSync(path + suffix) : undefined);
      const [br, gzip] = [packed(".br"), packed(".gz")];
      const asset: Asset = {
        type: types[extname(path)] as string,
        etag: `"${createHash("sha256").update(plain).digest("base64url").slice(0, 16)}"`,
        plain,
        ...(br ? { br } : {}),
        ...(gzip ? { gzip } : {}),
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
  const accepted = c.req.header("accept-encoding") ?? "";
  const [encoding, bytes] =
    asset.br && /\bbr\b/.test(accepted)
      ? (["br", asset.br] as const)
      : asset.gzip && /\bgzip\b/.test(accepted)
        ? (["gzip", asset.gzip] as const)
        : ([undefined, asset.plain] as const);
  if (encoding) c.header("content-encoding", encoding);
  return c.body(new Uint8Array(bytes));
}
