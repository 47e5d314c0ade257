/** The packed store with the schema applied. */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { packedStore } from "@warpfarm/common/process";
import { migrations } from "./migrate.ts";

const directory = fileURLToPath(new URL("../../dist/template/", import.meta.url));

export const template = packedStore(directory, createRequire(import.meta.url).resolve("@electric-sql/pglite"), migrations);
