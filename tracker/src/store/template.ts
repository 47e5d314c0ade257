/** A packed store with every migration applied; without it everything works, slower. */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { packedStore } from "@warpfarm/common/process";
import { migrations } from "./migrations/index.ts";

/** tracker/dist/template, seen from src/store and from dist/store alike. */
const directory = fileURLToPath(new URL("../../dist/template/", import.meta.url));

export const template = packedStore(directory, createRequire(import.meta.url).resolve("@electric-sql/pglite"), migrations);
