/**
 * Records docs/first-hour.md anew: makes a tarball, gives the page's commands in an empty directory, and puts what they say into
 * the page.
 *
 *   npm run build && node scripts/first-hour.mjs            writes the page
 *   npm run build && node scripts/first-hour.mjs --check    compares: ends with 1 where the page says something else
 *
 * The page is its own script: a block of code that begins with `// NAME` is a file, a line of a console block that begins with `$
 * ` a command.
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
    if (language !== "console") {
      const [, name] = /^\/\/ (\S+)\n/.exec(body) ?? [];
      return name === undefined ? [] : [{ kind: "file", name, text: body }]; // without a name: to be read only
    }
    const commands = body.split(/^\$ /m).slice(1);
    return commands.map((part) => {
      const end = part.indexOf("\n");
      return { kind: "command", command: part.slice(0, end), output: part.slice(end + 1) };
    });
  });
}

/** The command's output as a terminal shows it, without progress lines. */
export function say(command, cwd, env) {
  const { stdout } = spawnSync("bash", ["-c", `(${command}) 2>&1`], { cwd, env, encoding: "utf8", timeout: 300_000 });
  return stdout.replace(/^trial \d+\/.*\n/gm, "");
}

/**
 * Environment with separate directories for everything that a command writes, and without npm's questions.
 * @type {(directory: string, env: Readonly<Record<string, string | undefined>>) => Record<string, string>}
 */
export const surroundings = (directory, { PATH = "", LD_LIBRARY_PATH }) => ({
  PATH,
  ...(LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH }),
  HOME: directory,
  XDG_CONFIG_HOME: join(directory, ".config"),
  XDG_DATA_HOME: join(directory, ".local/share"),
  XDG_CACHE_HOME: join(directory, ".cache"),
  npm_config_ignore_scripts: "true",
  npm_config_audit: "false",
  npm_config_fund: "false",
  npm_config_update_notifier: "false",
});

/** Lines of doctor that are the same on every machine; the others depend on what is installed. */
const everywhere = [
  "Node",
  "CPU",
  "config file",
  "C compiler",
  "sandbox",
  "koffi",
  "PGlite",
  "store",
  "tracker",
  "data directory",
];

/** The lines of a command's output, without parts that differ between runs and between machines. */
export function plain(command, said) {
  if (command.startsWith("npm install")) return [];
  if (/ doctor$/.test(command)) return everywhere.filter((name) => new RegExp(`^(ok|absent|MISSING) +${name}: `, "m").test(said));
  // Finalists are interleaved where the machine allows it; whether they give a result, and which, differs between runs.
  // There is no runner-up where all others were ended early as slower.
  return said
    .replaceAll(/\n {4,}/g, " ")
    .replaceAll(/[ \t]+/g, " ")
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT")
    .replaceAll(/\d+\.\d+( [num]?s\b)?/g, "#")
    .replaceAll(/(index|GFLOPS) \d+/g, "$1 #")
    .replaceAll(/first: (.*?): \d+ bytes/g, "first: $1: # bytes")
    .replaceAll(/(device) .*?\(cpu\/.*?\)/g, "$1")
    .replaceAll(/config (tile|index) .*/g, "config")
    .split("\n")
    .map((line) => line.replace(/^(best(?= #)) .*/, "$1"))
    .filter((line) => line !== "" && !/^(warning|measuring the fastest|tied|finalist|winner|runner-up)/.test(line));
}

/** The page with the output of each command by `run`. `write` gets the page's files. */
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

/** Commands whose outputs differ between two recordings, with both outputs. */
const differing = (before, after) => {
  const commandsOf = (text) => stepsOf(text).filter(({ kind }) => kind === "command");
  const now = commandsOf(after);
  return commandsOf(before).flatMap(({ command, output }, i) => {
    const [was, is] = [output, now[i].output].map((said) => plain(command, said).join("\n"));
    return was === is ? [] : [`$ ${command}\nthe page says\n${was}\nit says\n${is}\n`];
  });
};

function main() {
  const directory = mkdtempSync(join(tmpdir(), "first-hour-"));
  try {
    const root = fileURLToPath(new URL("..", import.meta.url));
    const env = surroundings(directory, process.env);
    const packed = spawnSync(process.execPath, [join(root, "scripts", "pack.mjs"), "--to", directory], { env, encoding: "utf8" });
    if (packed.status !== 0) throw new Error(packed.stderr);
    writeFileSync(join(directory, "package.json"), '{ "private": true }\n');
    const before = readFileSync(page, "utf8");
    const after = recorded(
      before,
      (name, body) => writeFileSync(join(directory, name), body),
      (command) => {
        console.error(`$ ${command}`);
        return say(command, directory, env).replaceAll(directory, "/home/me");
      },
    );
    if (!process.argv.includes("--check")) return writeFileSync(page, after);
    const found = differing(before, after);
    for (const text of found) console.error(text);
    if (found.length > 0) process.exitCode = 1;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
