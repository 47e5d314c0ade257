/**
 * Kubernetes' own schemas, from kubernetes-models. Its validators find wrong types and missing fields but not unknown fields; its
 * types find these. Every object is therefore also written as a literal that must satisfy the types, and the compiler checks it.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clusterApiFault, isOfClusterApi } from "./cluster-apis.ts";
import { gatewayFault } from "./gateway-api.ts";
import type { Manifest } from "./manifests.ts";
import { at } from "./places.ts";

const require = createRequire(import.meta.url);
interface Model {
  validate(): void;
}

/** Of kinds that others than Kubernetes define. */
const packages: Readonly<Record<string, string>> = {
  "monitoring.coreos.com": "@kubernetes-models/prometheus-operator",
  "keda.sh": "@kubernetes-models/keda",
};
const moduleOf = ({ apiVersion, kind }: Manifest): string =>
  `${packages[apiVersion.split("/")[0] ?? ""] ?? "kubernetes-models"}/${apiVersion}/${kind}`;

const isOfGateway = ({ apiVersion }: Manifest): boolean => apiVersion.startsWith("gateway.networking.k8s.io/");

/** Wrong types and missing fields; of kinds that no package here has, unknown fields too. */
export function invalid(objects: readonly Manifest[]): readonly string[] {
  return objects.flatMap((object) => {
    if (isOfGateway(object) || isOfClusterApi(object)) {
      const fault = isOfGateway(object) ? gatewayFault(object) : clusterApiFault(object);
      return fault === undefined ? [] : [`${object.kind}/${object.metadata.name}: ${fault}`];
    }
    try {
      const models = require(moduleOf(object)) as Readonly<Record<string, new (data: Manifest) => Model>>;
      const Kind = models[object.kind];
      if (!Kind) return [`${object.kind}: no schema`];
      new Kind(object).validate();
      return [];
    } catch (error) {
      return [`${object.kind}/${object.metadata.name}: ${(error as Error).message}`];
    }
  });
}

/** The compiler's errors for literals that must satisfy the types: above all unknown fields. */
export function misfits(all: readonly Manifest[]): readonly string[] {
  const objects = all.filter((object) => !isOfGateway(object) && !isOfClusterApi(object));
  const directory = mkdtempSync(join(tmpdir(), "warpfarm-test-"));
  try {
    const modules = [...new Set(objects.map(moduleOf))];
    const lines = [
      ...modules.map((name, i) => `import type { I${name.split("/").at(-1)} as T${i} } from ${JSON.stringify(name)};`),
      ...objects.map(
        (object, i) => `export const o${i} = ${JSON.stringify(object, null, 1)} satisfies T${modules.indexOf(moduleOf(object))};`,
      ),
    ];
    writeFileSync(join(directory, "objects.ts"), lines.join("\n"));
    const paths = { "*": [at("node_modules/*")] };
    const options = {
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      module: "esnext",
      moduleResolution: "bundler",
      types: [],
      paths,
    };
    writeFileSync(join(directory, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["objects.ts"] }));
    const tsc = at("node_modules/typescript/bin/tsc");
    const { stdout, status } = spawnSync(process.execPath, [tsc, "--pretty", "false", "-p", directory], { encoding: "utf8" });
    const errors = stdout.split("\n").filter((line) => line.includes("error TS"));
    return status === 0 || errors.length > 0 ? errors : [`tsc: exit ${status}: ${stdout}`];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
