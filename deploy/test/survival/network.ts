/**
 * A TCP proxy that misbehaves on demand, between any two that talk TCP. It may have several servers behind it: like a load balancer it gives
 * each connection to the next one that answers.
 *
 * A cut ends every connection at once, at both ends. A black hole takes connections and bytes and passes nothing on, the ends of connections
 * included, until it is healed: then all that was kept back arrives, as it does when a cable is plugged in again, or the connections that
 * were there stay silent for ever and only new ones pass, as after a router's restart.
 */
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

export class Link implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #upstreams: readonly string[];
  #next = 0;
  #isHole = false;
  #held: (() => void)[] = [];
  /** Connections of an older one pass nothing any more. */
  #generation = 0;
  /** Of each direction: half the round trip. */
  delayMs = 0;
  /** Connections taken so far. */
  connections = 0;
  #port = 0;

  private constructor(upstreams: readonly string[]) {
    this.#upstreams = upstreams;
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#take(socket));
  }

  /** To servers at host:port. */
  static async to(upstreams: readonly string[], roundTripMs = 0): Promise<Link> {
    const link = new Link(upstreams);
    link.delayMs = roundTripMs / 2;
    link.#server.listen(0, "127.0.0.1");
    await once(link.#server, "listening");
    const address = link.#server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    link.#port = address.port;
    return link;
  }

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  cut(how: "reset" | "end"): void {
    for (const socket of this.#sockets) {
      if (how === "reset") socket.resetAndDestroy();
      else {
        socket.end();
        socket.destroySoon();
      }
    }
  }

  blackHole(): void {
    this.#isHole = true;
  }

  heal(how: "arrive" | "forget" = "arrive"): void {
    this.#isHole = false;
    const held = this.#held.splice(0);
    if (how === "arrive") for (const act of held) act();
    else this.#generation++;
  }

  /** What a connection does next: after the delay, and not before the hole is healed. In order, for equal delays end in order. */
  #later(generation: number, act: () => void): void {
    const pass = (): void => {
      if (generation !== this.#generation) return;
      if (this.#isHole) this.#held.push(act);
      else act();
    };
    if (this.delayMs > 0) setTimeout(pass, this.delayMs);
    else pass();
  }

  #own(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => {}); // "close" follows
    socket.once("close", () => this.#sockets.delete(socket));
  }

  #take(near: Socket): void {
    this.connections++;
    this.#own(near);
    const generation = this.#generation;
    const early: Buffer[] = [];
    const keep = (chunk: Buffer) => void early.push(chunk);
    near.on("data", keep);
    const use = (far: Socket) => {
      near.off("data", keep);
      this.#pass(generation, near, far);
      this.#pass(generation, far, near);
      for (const chunk of early) far.write(chunk);
    };
    this.#later(generation, () => this.#dial(near, this.#upstreams.length, use));
  }

  #dial(near: Socket, tries: number, use: (far: Socket) => void): void {
    if (near.destroyed) return;
    const upstream = this.#upstreams[this.#next++ % this.#upstreams.length] ?? "";
    const colon = upstream.lastIndexOf(":");
    const to = { host: upstream.slice(0, colon), port: Number(upstream.slice(colon + 1)) };
    const far = connect({ ...to, allowHalfOpen: true, noDelay: true });
    const refused = () => {
      if (tries > 1) this.#dial(near, tries - 1, use);
      else near.resetAndDestroy();
    };
    far.once("error", refused);
    far.once("connect", () => {
      far.off("error", refused);
      this.#own(far);
      if (near.destroyed) far.destroy();
      else use(far);
    });
  }

  #pass(generation: number, from: Socket, to: Socket): void {
    from.on("data", (chunk) => this.#later(generation, () => void to.write(chunk)));
    from.once("end", () => this.#later(generation, () => void to.end()));
    from.once("close", () => this.#later(generation, () => to.destroySoon()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.heal();
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}
