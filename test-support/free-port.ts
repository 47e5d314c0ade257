/**
 * A port for a server that will restart on it. The system chooses free ports from the range of outgoing connections. While the
 * server is down, any connection on the machine could take such a port, for instance its own client's next attempt.
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
