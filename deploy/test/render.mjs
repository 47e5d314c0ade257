/**
 * node deploy/test/render.mjs [--write]: renders every overlay and combination of components with kubectl (1.24 or later) and
 * compares deploy/test/rendered with it, or writes it. The tests read those files, so they need no kubectl. Each component is
 * rendered alone and with all that go together, in two orders, plain and with TLS.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { parseAllDocuments } from "yaml";

const kubernetes = fileURLToPath(new URL("../kubernetes/", import.meta.url));
const rendered = fileURLToPath(new URL("rendered/", import.meta.url));

const plain = ["postgres", "backup", "gateway", "monitoring", "scaling-keda", "suites"];
const secure = ["tls", "postgres", "backup", "gateway-tls", "monitoring", "scaling-hpa", "suites-job"];
const alone = ["postgres", "gateway", "tls", "monitoring", "scaling-hpa", "scaling-keda", "suites", "suites-job"];
/** By file: an overlay, and components in their order. */
const combinations = {
  cpu: ["cpu"],
  gpu: ["gpu"],
  ...Object.fromEntries(alone.map((name) => [`cpu+${name}`, ["cpu", name]])),
  "cpu+postgres+backup": ["cpu", "postgres", "backup"],
  "cpu+tls+gateway-tls": ["cpu", "tls", "gateway-tls"],
  "gpu+eight-gpus": ["gpu", "eight-gpus"],
  "gpu+dra": ["gpu", "dra"],
  "gpu+kueue": ["gpu", "kueue"],
  "gpu+all": ["gpu", ...plain, "eight-gpus"],
  "gpu+all-tls": ["gpu", ...secure, "eight-gpus"],
  "cpu+all-tls": ["cpu", ...secure],
  "cpu+all-tls-backwards": ["cpu", ...secure.toReversed()],
};

/** @param {string} directory */
const kustomize = (directory) => execFileSync("kubectl", ["kustomize", directory], { encoding: "utf8" });

/** A user's own kustomization. @param {string} scratch @param {readonly string[]} parts */
function compose(scratch, [overlay = "", ...components]) {
  const directory = mkdtempSync(join(scratch, "farm-"));
  const to = (/** @type {string} */ path) => `  - ${relative(directory, join(kubernetes, path))}`;
  const lines = ["apiVersion: kustomize.config.k8s.io/v1beta1", "kind: Kustomization", "namespace: warpfarm"];
  lines.push("resources:", to(`overlays/${overlay}`));
  if (components.length > 0) lines.push("components:", ...components.map((name) => to(`components/${name}`)));
  writeFileSync(join(directory, "kustomization.yaml"), `${lines.join("\n")}\n`);
  return kustomize(directory);
}

/** The example with one word changed, as README.md says. @param {string} scratch */
function exampleOnProcessors(scratch) {
  const directory = mkdtempSync(join(scratch, "example-"));
  const text = readFileSync(join(kubernetes, "example", "kustomization.yaml"), "utf8");
  const moved = text.replace("overlays/gpu\n", "overlays/cpu\n").replaceAll("- ../", `- ${relative(directory, kubernetes)}/`);
  writeFileSync(join(directory, "kustomization.yaml"), moved);
  return kustomize(directory);
}

/** Texts of all files by name. */
function renderAll() {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "warpfarm-render-")));
  try {
    return Object.fromEntries([
      ...Object.entries(combinations).map(([name, parts]) => [`${name}.yaml`, compose(scratch, parts)]),
      ["example.yaml", kustomize(join(kubernetes, "example"))],
      ["example-cpu.yaml", exampleOnProcessors(scratch)],
    ]);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Versions of kubectl break lines in different places. @param {string} text */
const objectsOf = (text) => parseAllDocuments(text).map((document) => document.toJS());

const texts = renderAll();
if (process.argv[2] === "--write") {
  rmSync(rendered, { recursive: true, force: true });
  mkdirSync(rendered);
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(rendered, name), text);
} else {
  const there = readdirSync(rendered);
  const names = [...new Set([...there, ...Object.keys(texts)])];
  const stale = names.filter((name) => {
    const text = texts[name];
    return (
      text === undefined ||
      !there.includes(name) ||
      !isDeepStrictEqual(objectsOf(text), objectsOf(readFileSync(join(rendered, name), "utf8")))
    );
  });
  if (stale.length > 0) {
    process.stderr.write(
      `deploy/test/rendered is not what kubectl renders: ${stale.join(", ")}; node deploy/test/render.mjs --write\n`,
    );
    process.exitCode = 1;
  }
}
