/**
 * A port for a server that is to come back on it. One the system chose is from the range it also takes the ports of outgoing
 * connections from: while the server is away, any connection on the machine may get it, its own client's next try included.
 */
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Linux gives out 32,768 and above. */
const range = [20_000, 32_000] as const;

/** Of loopback. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...range);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
