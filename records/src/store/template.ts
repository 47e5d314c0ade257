/** A packed store with every step of the schema taken; without it everything works, slower. */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { packedStore } from "@warpfarm/common/process";
import { recordsSteps } from "./schema.ts";

/** records/dist/template, seen from src/store and from dist/store alike. */
const directory = fileURLToPath(new URL("../../dist/template/", import.meta.url));

export const template = packedStore(directory, createRequire(import.meta.url).resolve("@electric-sql/pglite"), recordsSteps);
