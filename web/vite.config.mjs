/** The page as hashed assets in dist/page. */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

// biome-ignore lint/style/noDefaultExport: vite asks for it
export default defineConfig({
  root: at("page"),
  base: "/",
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  resolve: { alias: { "node:crypto": at("page/kernel/node-crypto.ts") } },
  build: {
    outDir: at("dist/page"),
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 3000,
  },
});
