#!/usr/bin/env -S node --initial-old-space-size=128
// The executable. Committed JavaScript, so that it can say what is missing before anything is built. All it does is load the
// command line of @warpfarm/deploy; what a command needs is loaded by that command. The heap may grow to 128 MB before the
// collector looks through all of it: at a tracker with a thousand workers that takes 60 ms of both cores, and came every second.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 12)) {
  process.stderr.write(`warpfarm: Node ${process.versions.node} is too old; it needs Node 20.12 or later\n`);
  process.exit(2);
}

let entry;
try {
  entry = import.meta.resolve("@warpfarm/deploy/main");
} catch {
  process.stderr.write("warpfarm: its packages are not installed; run npm ci in the repository\n");
  process.exit(2);
}
if (!existsSync(fileURLToPath(entry))) {
  process.stderr.write("warpfarm: it is not built yet; run npm run build in the repository\n");
  process.exit(2);
}
const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
// A command's modules are loaded when it runs, so this is about them too.
const code = await import(entry)
  .then((command) => command.main(process.argv.slice(2), fileURLToPath(import.meta.url), version))
  .catch((error) => {
    const why = String(error?.message ?? error).split("\n")[0];
    const isOutOfFiles = error?.code === "EMFILE" || error?.code === "ENFILE";
    process.stderr.write(
      isOutOfFiles
        ? "warpfarm: it cannot be loaded, because it may have too few files open: raise the limit (ulimit -n 1024)\n"
        : `warpfarm: it cannot be loaded: ${why}; run npm ci and npm run build again\n`,
    );
    return isOutOfFiles ? 3 : 2;
  });
// exit() does not wait for what a pipe has not taken yet: a reader that is slower than the command would lose it. One that is
// gone ends this.
for (const stream of [process.stdout, process.stderr]) await new Promise((done) => stream.write("", done));
process.exit(code);
