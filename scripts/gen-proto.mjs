// npm run gen: TypeScript types of the wire from proto/warpfarm, into proto/src/gen (committed, never edited).
// The options must match loadOptions of proto/src/rpc/load.ts: the types describe what that loader produces.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const proto = join(root, "proto");
const out = join(proto, "src/gen");
const generator = join(
  dirname(createRequire(import.meta.url).resolve("@grpc/proto-loader/package.json")),
  "build/bin/proto-loader-gen-types.js",
);
const sources = readdirSync(join(proto, "warpfarm"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".proto"))
  .map((name) => join("warpfarm", name))
  .sort();

rmSync(out, { recursive: true, force: true });
execFileSync(
  process.execPath,
  [
    generator,
    "--keepCase",
    "--longs=Number",
    "--enums=String",
    "--defaults",
    "--oneofs",
    "--grpcLib=@grpc/grpc-js",
    "--importFileExtension=.ts",
    "-I",
    ".",
    "-O",
    out,
    ...sources,
  ], // prettier-ignore
  { cwd: proto, stdio: ["ignore", "ignore", "inherit"] },
);

// verbatimModuleSyntax: the generator marks type imports itself; what it lacks is named here if it ever does.
for (const name of readdirSync(out, { recursive: true, encoding: "utf8" }).filter((n) => n.endsWith(".ts"))) {
  const path = join(out, name);
  const text = readFileSync(path, "utf8");
  const bad = /^import (?!type )/m.exec(text);
  if (bad) throw new Error(`${path}: an import that is not "import type" at ${bad.index}`);
  writeFileSync(path, text.replace(/[ \t]+$/gm, ""));
}
