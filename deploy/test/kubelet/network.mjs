/**
 * node network.mjs SOCKET: runs inside a network namespace. Whoever connects to SOCKET and says "HOST PORT\n" is connected to
 * that address from in here. In the cluster's namespace it is kube-proxy too: each line on stdin is a table of services, and each
 * connection to one is said on stdout, with whether it was let through. Ends when stdin closes.
 */
import { connect, createServer } from "node:net";
import { createInterface } from "node:readline";

const [, , socket = ""] = process.argv;

/** @param {import("node:net").Socket} from @param {{ host: string, port: number }} to */
function join(from, to) {
  const there = connect(to);
  const end = () => {
    from.destroy();
    there.destroy();
  };
  from.on("error", end);
  there.on("error", end);
  from.on("close", end);
  there.on("close", end);
  from.pipe(there).pipe(from);
}

createServer((from) => {
  let said = "";
  from.on("error", () => {});
  const read = () => {
    for (let byte = from.read(1); byte !== null; byte = from.read(1)) {
      if (byte[0] !== 10) said += byte.toString();
      else {
        from.off("readable", read);
        const [host = "", port = ""] = said.split(" ");
        return join(from, { host, port: Number(port) });
      }
    }
  };
  from.on("readable", read);
}).listen(socket, () => process.stdout.write("ready\n"));

/**
 * @type {{ [from: string]: { host: string, port: number }[] | undefined }} "FROM SERVICE:PORT", without those that are not
 * allowed
 */
let allowed = {};
let turn = 0;
/** @type {Map<import("node:net").Socket, string>} Connections to services, by what they were allowed as. */
const open = new Map();
const listening = new Set();
createInterface({ input: process.stdin })
  .on("line", (line) => {
    const table = JSON.parse(line);
    allowed = table.allowed;
    for (const [socket, key] of open) if (allowed[key] === undefined) socket.destroy();
    for (const { host, port } of table.services) {
      const name = `${host}:${port}`;
      if (listening.has(name)) continue;
      listening.add(name);
      createServer((from) => {
        const key = `${(from.remoteAddress ?? "").replace("::ffff:", "")} ${name}`;
        const ends = allowed[key];
        const to = ends?.[turn++ % ends.length];
        process.stdout.write(`${JSON.stringify({ key, isAllowed: to !== undefined })}\n`);
        if (to === undefined) return from.destroy();
        open.set(from, key);
        from.on("close", () => open.delete(from));
        join(from, to);
      }).listen(port, host);
    }
    process.stdout.write("applied\n");
  })
  .on("close", () => process.exit(0));
