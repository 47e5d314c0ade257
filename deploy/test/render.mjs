/**
 * node deploy/test/render.mjs [--write]: renders every overlay and combination of components with kubectl (1.24 or later) and
 * compares deploy/test/rendered.yaml with it, or writes it. The tests read that file, so they need no kubectl. Each component is
 * rendered alone and with all that go together, in two orders, plain and with TLS. The file has each object once, below a line
 * that says which renderings have it.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAllDocuments, stringify } from "yaml";

const kubernetes = fileURLToPath(new URL("../kubernetes/", import.meta.url));
const rendered = fileURLToPath(new URL("rendered.yaml", import.meta.url));

const plain = ["postgres", "backup", "gateway", "monitoring", "scaling-keda", "suites"];
const secure = ["tls", "postgres", "backup", "gateway-tls", "monitoring", "scaling-hpa", "suites-job"];
const alone = ["postgres", "gateway", "tls", "monitoring", "scaling-hpa", "scaling-keda", "suites", "suites-job"];
/** By name: an overlay, and components in their order. */
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

/** Objects by their texts, each with the names of the renderings that have it. */
function renderAll() {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "warpfarm-render-")));
  const found = new Map();
  const add = (/** @type {string} */ name, /** @type {string} */ text) => {
    for (const document of parseAllDocuments(text)) {
      const object = stringify(document.toJS(), { lineWidth: 130 });
      found.set(object, [...(found.get(object) ?? []), name]);
    }
  };
  try {
    for (const [name, parts] of Object.entries(combinations)) add(name, compose(scratch, parts));
    add("example", kustomize(join(kubernetes, "example")));
    add("example-cpu", exampleOnProcessors(scratch));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return found;
}

const text = [...renderAll()].map(([object, names]) => `---\n# in ${names.join(" ")}\n${object}`).join("");
if (process.argv[2] === "--write") writeFileSync(rendered, text);
else if (text !== readFileSync(rendered, "utf8")) {
  process.stderr.write("deploy/test/rendered.yaml is not what kubectl renders; node deploy/test/render.mjs --write\n");
  process.exitCode = 1;
}
