/**
 * Shows how a change of the compiler changes the text and manifests that it makes. `npm run codegen-diff` compares the corpus
 * with the stored digests and prints the first program that differs as a diff against the commit that stored the digests. `--
 * --write` stores the digests again.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createViteServer } from "vitest/node";

const root = fileURLToPath(new URL("..", import.meta.url));
const digestsFile = "client/test/codegen/digests.json";

/** The corpus as the sources under `folder` have it. */
async function withCorpus(folder, use) {
  const server = await createViteServer({
    root: folder,
    configFile: join(folder, "vitest.config.ts"),
    logLevel: "error",
    server: { middlewareMode: true, watch: null, ws: false, fs: { strict: false } },
    optimizeDeps: { noDiscovery: true, include: [] },
    // Node 20 has no `await using`.
    oxc: { target: "node20" },
  });
  try {
    return use(await server.ssrLoadModule("/client/test/codegen/corpus.ts"));
  } finally {
    await server.close();
  }
}

const textIn = ({ corpus, textOf }, id) => {
  for (const entry of corpus()) if (entry.id === id) return textOf(entry.program);
  return "";
};

/** The text of a program by the sources of the commit that stored the digests. */
async function storedText(folder, id) {
  const git = (...args) => execFileSync("git", args, { cwd: root, maxBuffer: 2 ** 30 });
  const commit = git("log", "-1", "--format=%H", "--", digestsFile).toString().trim();
  const old = join(folder, "old");
  mkdirSync(old);
  execFileSync("tar", ["-x", "-C", old], { input: git("archive", commit) });
  symlinkSync(join(root, "node_modules"), join(old, "node_modules"));
  return { commit, text: await withCorpus(old, (module) => textIn(module, id)) };
}

async function showFirst(id, text) {
  const folder = mkdtempSync(join(tmpdir(), "codegen-diff-"));
  try {
    const { commit, text: before } = await storedText(folder, id);
    const [from, to] = ["before", "after"].map((name) => join(folder, name));
    writeFileSync(from, before);
    writeFileSync(to, text);
    console.log(`${id}, since ${commit.slice(0, 10)}:`);
    const { stdout } = spawnSync("diff", ["-u", "--label", "before", "--label", "now", from, to], { encoding: "utf8" });
    console.log(stdout || "the same text: the digests in the work tree are not those of that commit");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const stored = JSON.parse(readFileSync(join(root, digestsFile), "utf8"));
const found = await withCorpus(root, ({ corpus, textOf, shortDigest }) => {
  const digests = {};
  let first;
  for (const { id, program } of corpus()) {
    const text = textOf(program);
    digests[id] = shortDigest(text);
    if (digests[id] !== stored[id]) first ??= { id, text };
  }
  return { digests, first };
});

if (process.argv.includes("--write")) {
  writeFileSync(join(root, digestsFile), `${JSON.stringify(found.digests, undefined, 1)}\n`);
  console.log(`${Object.keys(found.digests).length} digests written to ${digestsFile}`);
} else {
  const changed = Object.keys(found.digests).filter((id) => found.digests[id] !== stored[id]);
  const gone = Object.keys(stored).filter((id) => !(id in found.digests));
  for (const id of changed) console.log(`${id in stored ? "changed" : "new"}: ${id}`);
  for (const id of gone) console.log(`gone: ${id}`);
  console.log(`${Object.keys(found.digests).length} programs; ${changed.length} changed or new, ${gone.length} gone`);
  if (found.first) await showFirst(found.first.id, found.first.text);
  process.exitCode = changed.length + gone.length > 0 ? 1 : 0;
}
