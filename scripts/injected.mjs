/**
 * Time, ids and randomness are parameters: a Clock, a NewId, RandomBytes (common/src/clock.ts, new-id.ts). `node
 * scripts/injected.mjs` names each source that takes them from elsewhere and is not on the list below, and ends with 1. A
 * parameter may have the system's as its default (`clock = systemClock`, `clock ?? systemClock`). Tests do not count. The list
 * only shrinks: what takes nothing by now, or is gone, has no place there.
 */
import { readFileSync } from "node:fs";
import { parseSync, Visitor } from "vite";
import { beyond, filesOf, lineAt, tell } from "./checks.mjs";

/** Each with its reason. */
const exceptions = {
  "common/src/clock.ts": "the system's clock",
  "common/src/new-id.ts": "the system's ids and keys",
  "web/page/state/clock.ts": "the browser's clock",
  "web/page/kernel/node-crypto.ts": "stands for node:crypto in a browser",
  // Composition roots: each gives the system's implementations to everything that it starts.
  "builder/src/worker/child.ts": "composes the compile child",
  "deploy/src/cli/surroundings.ts": "composes the command line",
  "runner/src/main.ts": "composes the runner",
  "runner/src/worker/child.ts": "composes the runner's child",
  "tracker/src/main.ts": "composes the tracker",
  // Other processes, which live in real time.
  "common/src/process/child-host.ts": "deadlines of child processes",
  "common/src/process/hosted-child.ts": "deadlines of child processes",
  "common/src/process/line-sink.ts": "writes again to a pipe that another process reads",
  "common/src/process/lock-file.ts": "a lock that other processes hold: its names and dates are read by them",
  "common/src/process/lock-patience.ts": "how long another process holds a lock, by a deadline that it wrote down",
  "common/src/process/shutdown.ts": "the process ends though something holds it",
  "deploy/src/managed-process.ts": "deadlines of child processes",
  // Devices, which are timed by the clocks of their machine.
  "runner/src/device/cpu/cpu-device.ts": "the host's clock beside the device's",
  "runner/src/device/cuda/driver.ts": "the host's clock beside the device's",
  // Connections: grpc-js measures its deadlines in real time, and these are compared with them.
  "proto/src/rpc/channel.ts": "the deadline of a call, as grpc-js takes it",
  "proto/src/rpc/server.ts": "how long connections may take to close",
  "proto/src/rpc/synchronize-stream.ts": "the deadline of one call on a stream",
  "web/page/state/api.ts": "the deadline of a request, as fetch takes it",
};

const globals = new Set(["setTimeout", "setInterval"]);
const members = new Set([
  "AbortSignal.timeout",
  "Date.now",
  "Math.random",
  "crypto.getRandomValues",
  "crypto.randomUUID",
  "performance.now",
  "performance.timeOrigin",
  "process.hrtime",
  "process.uptime",
]);
const imported = /^(setTimeout|setInterval|performance|hrtime|getRandomValues|random(UUID|Bytes|Int|Fill|FillSync)|webcrypto)$/;
const modules = /^(node:)?(crypto|timers(\/promises)?|perf_hooks|process)$/;
const shipped = new Set(["systemClock", "browserClock", "randomId", "systemRandomBytes"]);

/** `Date.now`, also for `globalThis.Date.now`; "" for an expression without such a name. */
function nameOf(node) {
  if (node.type === "Identifier") return node.name;
  if (node.type !== "MemberExpression" || node.computed) return "";
  return `${nameOf(node.object)}.${node.property.name}`.replace(/^globalThis\./, "");
}

/** What a source takes by `Date.now` and the like. */
function takenBy(file) {
  const text = readFileSync(file, "utf8");
  const taken = [];
  const take = (what, { start }) =>
    taken.push(
      `${file}:${lineAt(text, start)}: ${what}; take a Clock, a NewId or RandomBytes as a parameter (common/src/clock.ts, new-id.ts)`,
    );
  /** Positions at which a name is not a use: defaults, property names, imports. */
  const passed = new Set();
  const asDefault = (node) => node.type === "Identifier" && shipped.has(node.name) && passed.add(node.start);
  const visitor = new Visitor({
    ImportDeclaration({ source, specifiers }) {
      for (const each of specifiers) {
        const other = each.type === "ImportSpecifier" && each.imported.type === "Identifier" ? each.imported : undefined;
        passed.add(each.local.start).add(other?.start);
        if (modules.test(source.value) && other && imported.test(other.name)) take(other.name, each);
      }
    },
    ExportSpecifier: ({ local, exported }) => void passed.add(local.start).add(exported.start),
    AssignmentPattern: ({ right }) => void asDefault(right),
    LogicalExpression: ({ operator, right }) => void (operator === "??" && asDefault(right)),
    VariableDeclarator: ({ id }) => void passed.add(id.start),
    Property: ({ key, shorthand }) => void (shorthand || passed.add(key.start)),
    MemberExpression(node) {
      if (!node.computed) passed.add(node.property.start);
      const name = nameOf(node);
      if (members.has(name) || globals.has(name)) take(name, node);
    },
    NewExpression(node) {
      if (nameOf(node.callee) === "Date" && node.arguments.length === 0) take("new Date()", node);
    },
    CallExpression(node) {
      if (nameOf(node.callee) === "Date") take("Date()", node);
    },
    Identifier(node) {
      if (!passed.has(node.start) && (globals.has(node.name) || shipped.has(node.name))) take(node.name, node);
    },
  });
  visitor.visit(parseSync(file, text).program);
  return taken;
}

const { workspaces } = JSON.parse(readFileSync("package.json", "utf8"));
const folders = [...workspaces.map((name) => `${name}/src`), "web/page"];
const files = filesOf(folders).filter((file) => /\.tsx?$/.test(file) && !/\.(test|testing)\.ts$/.test(file));
tell(beyond(new Map(files.map((file) => [file, takenBy(file)])), exceptions, "scripts/injected.mjs"));
