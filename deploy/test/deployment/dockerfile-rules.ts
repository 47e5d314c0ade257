/**
 * Rules for our Dockerfiles, beyond their syntax (dockerfile-utils checks that): bases pinned by version and digest, no process
 * runs as root, tini before a server, packages pinned and their lists removed. Rules have hadolint's names where it has the same.
 */
import { DockerfileParser, type From, type Instruction } from "dockerfile-ast";
import { validate } from "dockerfile-utils";

export interface Finding {
  readonly rule: string;
  readonly line: number;
  readonly message: string;
}

interface Stage {
  readonly from: From;
  readonly name: string;
  readonly image: string;
  readonly instructions: readonly Instruction[];
}

/** Exec form: arguments as a JSON array of strings. */
function execForm(instruction: Instruction): readonly string[] | undefined {
  const text = instruction.getArgumentsContent()?.trim() ?? "";
  try {
    const words: unknown = JSON.parse(text);
    return Array.isArray(words) && words.every((word) => typeof word === "string") ? words : undefined;
  } catch {
    return undefined;
  }
}

/** Packages of `apt-get install`, without its options. */
const packagesOf = (command: string): readonly string[] =>
  (/apt-get install\s+(.*)/.exec(command)?.[1] ?? "").split(/\s+/).filter((word) => word !== "" && !word.startsWith("-"));

function stagesOf(text: string): readonly Stage[] {
  const instructions = DockerfileParser.parse(text).getInstructions();
  const defaults = new Map<string, string>();
  const stages: { from: From; name: string; image: string; instructions: Instruction[] }[] = [];
  for (const instruction of instructions) {
    const keyword = instruction.getKeyword();
    if (keyword === "FROM") {
      const from = instruction as From;
      const image = (from.getImage() ?? "").replace(/\$\{(\w+)\}/g, (_, name: string) => defaults.get(name) ?? "");
      stages.push({ from, name: from.getBuildStage() ?? "", image, instructions: [] });
    } else if (stages.length > 0) stages.at(-1)?.instructions.push(instruction);
    else if (keyword === "ARG") {
      const [, name = "", value = ""] = /^(\w+)=(.*)$/.exec(instruction.getArgumentsContent() ?? "") ?? [];
      defaults.set(name, value);
    }
  }
  return stages;
}

/**
 * Names of the stages that are no other stage's base: the targets for --target. Stages that are only copied from do not count.
 */
export function targetsOf(text: string): readonly string[] {
  const stages = stagesOf(text);
  const bases = new Set(stages.map(({ image }) => image));
  return stages.filter(({ name, instructions }) => !bases.has(name) && instructions.some(isCommand)).map(({ name }) => name);
}
const isCommand = (instruction: Instruction): boolean => instruction.getKeyword() === "CMD";

/** Default arguments of a target, as its CMD gives them. */
export function commandOf(text: string, target: string): readonly string[] {
  const command = stagesOf(text)
    .find(({ name }) => name === target)
    ?.instructions.find(isCommand);
  return command ? (execForm(command) ?? []) : [];
}

export interface ImageSettings {
  readonly env: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly workdir: string;
  readonly user: string;
  readonly healthcheck: readonly string[];
  /** Made by `install -d`, and by `ln -s`: what a link leads to, and its path. */
  readonly directories: readonly string[];
  readonly links: readonly (readonly [to: string, path: string])[];
}

/** What a target says of its containers, with what its bases in this file say. */
export function settingsOf(text: string, target: string): ImageSettings {
  const stages = stagesOf(text);
  const chain = (name: string): readonly Instruction[] => {
    const stage = stages.find((one) => one.name === name);
    return stage ? [...chain(stage.image), ...stage.instructions] : [];
  };
  const instructions = chain(target);
  if (instructions.length === 0) throw new Error(`the recipe has no target ${target}`);
  const all = (keyword: string) => instructions.filter((one) => one.getKeyword() === keyword);
  const words = (keyword: string): readonly string[] => {
    const found = all(keyword).at(-1);
    return found ? (execForm(found) ?? []) : [];
  };
  const scripts = all("RUN").map((one) => (one.getArgumentsContent() ?? "").replace(/\\\n/g, " "));
  const pairs = all("ENV").flatMap((one) => (one.getArgumentsContent() ?? "").split(/\s+/));
  const check = all("HEALTHCHECK").at(-1)?.getArgumentsContent() ?? "";
  return {
    env: Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)])),
    entrypoint: words("ENTRYPOINT"),
    command: words("CMD"),
    workdir: all("WORKDIR").at(-1)?.getArgumentsContent() ?? "/",
    user: all("USER").at(-1)?.getArgumentsContent() ?? "0:0",
    healthcheck: JSON.parse(/CMD\s+(\[.*\])/s.exec(check)?.[1] ?? "[]"),
    directories: scripts.flatMap((script) =>
      [...script.matchAll(/install -d -o 65532 -g 65532 ([^&]+)/g)].flatMap(([, paths = ""]) => paths.trim().split(/\s+/)),
    ),
    links: scripts.flatMap((script) =>
      [...script.matchAll(/ln -s (\S+) (\S+)/g)].map(([, to = "", path = ""]) => [to, path] as const),
    ),
  };
}

export function lintDockerfile(text: string): readonly Finding[] {
  const findings: Finding[] = validate(text).map(({ message, range }) => ({
    rule: "syntax",
    line: range.start.line + 1,
    message: String(message),
  }));
  const stages = stagesOf(text);
  const report = (rule: string, at: Instruction, message: string) =>
    findings.push({ rule, line: at.getRange().start.line + 1, message });
  const named = new Map(stages.map((stage) => [stage.name, stage]));
  /** The last instruction of a kind in a stage and its bases in this file. */
  const last = (stage: Stage, keyword: string): Instruction | undefined => {
    const own = stage.instructions.filter((instruction) => instruction.getKeyword() === keyword).at(-1);
    const base = named.get(stage.image);
    return own ?? (base && base !== stage ? last(base, keyword) : undefined);
  };
  for (const stage of stages) {
    const { from, name, image } = stage;
    if (name === "") report("stage-named", from, "a stage has a name, so that it can be built and copied from");
    if (!named.has(image) && !/^[\w./-]+:[\w.-]*\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/.test(image))
      report("base-pinned", from, `${image}: a base is pinned by a full version and a digest`);
    for (const instruction of stage.instructions) lintInstruction(instruction, report);
  }
  for (const name of targetsOf(text)) {
    const stage = named.get(name);
    if (!stage) continue;
    const user = last(stage, "USER")?.getArgumentsContent() ?? "root";
    if (!/^[1-9]\d{3,}:[1-9]\d{3,}$/.test(user)) report("user", stage.from, `${name} runs as ${user}; use a numeric uid:gid`);
    const entry = last(stage, "ENTRYPOINT");
    if (!/tini$/.test((entry && execForm(entry)?.[0]) ?? "")) report("tini", stage.from, `${name}: ENTRYPOINT begins with tini`);
  }
  return findings;
}

function lintInstruction(instruction: Instruction, report: (rule: string, at: Instruction, message: string) => void): void {
  const keyword = instruction.getKeyword();
  const text = instruction.getArgumentsContent() ?? "";
  if (keyword === "ADD") report("DL3020", instruction, "COPY for files; what is fetched is checked by a digest");
  if (keyword === "ENTRYPOINT" || keyword === "CMD") {
    if (!execForm(instruction)) report("DL3025", instruction, `${keyword} in exec form, so that signals arrive`);
  }
  if (keyword === "WORKDIR" && !text.startsWith("/")) report("DL3000", instruction, "WORKDIR is absolute");
  if ((keyword === "ENV" || keyword === "ARG") && /(TOKEN|PASSWORD|secret)\w*\s*=/i.test(text))
    report("secret", instruction, "no secret in an image");
  if (keyword !== "RUN") return;
  const script = text.replace(/\\\n/g, " ");
  if (/\bsudo\b/.test(script)) report("DL3004", instruction, "no sudo");
  if (/\b(curl|wget)\b/.test(script)) report("fetched", instruction, "nothing is fetched past the package managers");
  if (/\bnpm (install|i)\b/.test(script)) report("npm-ci", instruction, "npm ci: what the lock file says");
  if (/\bapt(?!-get|\/)\s/.test(script)) report("DL3027", instruction, "apt-get in scripts");
  if (/\s--?[\w-]+=[^\s"']*[*?]/.test(script))
    report("glob", instruction, "a pattern behind = is no word of its own: no shell expands it");
  if (!script.includes("apt-get install")) return;
  if (!script.includes("--no-install-recommends")) report("DL3015", instruction, "apt-get install --no-install-recommends");
  if (!/(-y|--yes)\b/.test(script)) report("DL3014", instruction, "apt-get install --yes");
  if (!/rm -rf \/var\/lib\/apt\/lists\/\*/.test(script))
    report("DL3009", instruction, "the lists of apt are removed in the same layer");
  if (!/apt-get update\s+&&/.test(script)) report("apt-update", instruction, "apt-get update in the layer that installs");
  for (const command of script.split(/&&|;/))
    for (const name of packagesOf(command))
      if (!/=.*\d/.test(name)) report("DL3008", instruction, `${name}: a version of each package`);
}
