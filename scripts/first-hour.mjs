/**
 * Records docs/first-hour.md anew: makes a tarball, gives the page's commands in an empty directory, and puts what they say into the page.
 *
 *   npm run build && node scripts/first-hour.mjs
 *
 * The page is its own script: a block of code that begins with `// NAME` is a file, a line of a console block that begins with `$ ` a command.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const page = fileURLToPath(new URL("../docs/first-hour.md", import.meta.url));
const block = /^```(\w+)\n([\s\S]*?)^```$/gm;

/** The page's files and commands, in its order. */
export function stepsOf(text) {
  return [...text.matchAll(block)].flatMap(([, language, body]) => {
    if (language !== "console") return [{ kind: "file", name: /^\/\/ (\S+)\n/.exec(body)[1], text: body }];
    const commands = body.split(/^\$ /m).slice(1);
    return commands.map((part) => {
      const end = part.indexOf("\n");
      return { kind: "command", command: part.slice(0, end), output: part.slice(end + 1) };
    });
  });
}

/** What a terminal shows of the command, without lines of progress. */
export function say(command, cwd, env) {
  const { stdout } = spawnSync("bash", ["-c", `(${command}) 2>&1`], { cwd, env, encoding: "utf8", timeout: 300_000 });
  return stdout.replace(/^trial \d+\/.*\n/gm, "");
}

/** Places of its own for whatever a command writes; npm asks nobody. */
export const surroundings = (directory, { PATH, LD_LIBRARY_PATH }) => ({
  PATH,
  ...(LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH }),
  HOME: directory,
  XDG_CONFIG_HOME: join(directory, ".config"),
  XDG_DATA_HOME: join(directory, ".local/share"),
  XDG_CACHE_HOME: join(directory, ".cache"),
  npm_config_cache: join(directory, ".npm"),
  npm_config_offline: "true",
  npm_config_ignore_scripts: "true",
  npm_config_audit: "false",
  npm_config_fund: "false",
  npm_config_update_notifier: "false",
});

/** The page with what `run` says of each command. Files are for `write`. */
export function recorded(text, write, run) {
  const steps = stepsOf(text);
  const said = steps.flatMap((step) => {
    if (step.kind === "command") return [run(step.command)];
    write(step.name, step.text);
    return [];
  });
  return text.replace(block, (whole, language, body) => {
    if (language !== "console") return whole;
    const commands = body.split(/^\$ /m).slice(1);
    const lines = commands.map((part) => `$ ${part.slice(0, part.indexOf("\n"))}\n${said.shift()}`);
    return `\`\`\`console\n${lines.join("")}\`\`\``;
  });
}

function main() {
  const directory = mkdtempSync(join(tmpdir(), "first-hour-"));
  try {
    const root = fileURLToPath(new URL("..", import.meta.url));
    const env = surroundings(directory, process.env);
    const packed = spawnSync("npm", ["pack", "--pack-destination", directory], { cwd: root, env, encoding: "utf8" });
    if (packed.status !== 0) throw new Error(packed.stderr);
    writeFileSync(join(directory, "package.json"), '{ "private": true }\n');
    const text = recorded(
      readFileSync(page, "utf8"),
      (name, body) => writeFileSync(join(directory, name), body),
      (command) => {
        console.error(`$ ${command}`);
        return say(command, directory, env).replaceAll(directory, "/home/me");
      },
    );
    writeFileSync(page, text);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
