/**
 * A TCP proxy with faults on demand, between any two TCP peers. It may have several servers behind it: like a load balancer it
 * gives each connection to the next server that answers.
 * A cut ends every connection at once, at both ends. A black hole accepts connections and bytes and passes nothing on, the ends
 * of connections included, until it is healed. Then either everything that was held back arrives, as when a cable is plugged in
 * again, or the old connections stay silent for ever and only new ones work, as after a router's restart. (The server's end of
 * the old ones is reset, as its own probes would do sooner or later. On a real network they get no answer; here this proxy's
 * system would answer them.)
 */
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { systemClock } from "@warpfarm/common";

/** The events of one direction of one connection, in order, each no earlier than its time. */
class Lane {
  readonly #link: Link;
  readonly #queue: { readonly dueMs: number; readonly act: () => void }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isDead = false;

  constructor(link: Link) {
    this.#link = link;
  }
  push(act: () => void): void {
    this.#queue.push({ dueMs: systemClock.monotonic() + this.#link.delayMs, act });
    this.drain();
  }
  drain(): void {
    if (this.#isDead || this.#timer !== undefined) return;
    for (let next = this.#queue[0]; next !== undefined && !this.#link.isHole; next = this.#queue[0]) {
      const waitMs = next.dueMs - systemClock.monotonic();
      if (waitMs > 0) {
        this.#timer = setTimeout(() => {
          this.#timer = undefined;
          this.drain();
        }, waitMs);
        return;
      }
      this.#queue.shift();
      next.act();
    }
  }
  die(): void {
    this.#isDead = true;
    clearTimeout(this.#timer);
  }
}

export class Link implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Those of them that lead to a server. */
  readonly #fars = new Set<Socket>();
  readonly #lanes = new Set<Lane>();
  readonly #upstreams: readonly string[];
  #next = 0;
  #isHole = false;
  /** Of each direction: half the round trip. */
  delayMs = 0;
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

  get isHole(): boolean {
    return this.#isHole;
  }
  blackHole(): void {
    this.#isHole = true;
  }

  heal(how: "arrive" | "forget" = "arrive"): void {
    this.#isHole = false;
    if (how === "arrive") for (const lane of this.#lanes) lane.drain();
    else {
      for (const lane of this.#lanes) lane.die();
      this.#lanes.clear();
      for (const far of this.#fars) far.resetAndDestroy();
    }
  }

  #own(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => {}); // "close" follows
    socket.once("close", () => this.#sockets.delete(socket));
  }

  #take(near: Socket): void {
    this.#own(near);
    const [up, down] = [new Lane(this), new Lane(this)];
    for (const lane of [up, down]) this.#lanes.add(lane);
    near.once("close", () => this.#lanes.delete(down));
    let far: Socket | undefined;
    /** What came before the server was reached. */
    const early: (() => void)[] = [];
    const toFar = (act: (socket: Socket) => void) =>
      up.push(() => {
        if (far) act(far);
        else early.push(() => far && act(far));
      });
    up.push(() =>
      this.#dial(near, this.#upstreams.length, (socket) => {
        far = socket;
        this.#pass(socket, (act) => down.push(() => act(near)));
        socket.once("close", () => this.#lanes.delete(up));
        for (const act of early.splice(0)) act();
      }),
    );
    this.#pass(near, toFar);
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
      this.#fars.add(far);
      far.once("close", () => this.#fars.delete(far));
      if (near.destroyed) far.destroy();
      else use(far);
    });
  }

  #pass(from: Socket, to: (act: (socket: Socket) => void) => void): void {
    from.on("data", (chunk) => to((socket) => void socket.write(chunk)));
    from.once("end", () => to((socket) => void socket.end()));
    from.once("close", () => to((socket) => socket.destroySoon()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.heal();
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}
