/**
 * A farm as a user starts it, in its own directory: tracker, builder, and runner of this machine's CPU. Builder and runner are
 * processes; so is the tracker where a test ends it.
 */
import { onTestFinished } from "vitest";
import { freshStore, testTracker } from "../../test-support/farm/scripted.ts";
import { freePort } from "../../test-support/free-port.ts";
import { until } from "../../test-support/until.ts";
import { Place, type Running, start } from "./warpfarm-process.ts";

export class ProcessFarm implements AsyncDisposable {
  readonly place: Place;
  /** All that was begun. */
  readonly parts: Running[] = [];
  #address = "";
  #here: AsyncDisposable | undefined;

  constructor(env: Readonly<Record<string, string>> = {}) {
    this.place = new Place(env, { isAlone: true });
  }

  /** host:port of the tracker, once it was started. */
  get address(): string {
    return this.#address;
  }

  /** All three, the tracker in this process, on the engine that the worker's files share. Requires a C compiler. */
  async start(): Promise<void> {
    await this.trackerHere();
    await Promise.all([this.builder(), this.runner()]);
  }

  /** A process takes two seconds of a processor for its start. */
  async trackerHere(): Promise<void> {
    const tracker = await testTracker(await freshStore());
    this.#here = tracker;
    this.#address = `127.0.0.1:${tracker.grpcPort}`;
  }

  /** As a process. At the same address and with the same store each time. */
  async tracker(): Promise<Running> {
    this.#address ||= `127.0.0.1:${await freePort()}`;
    return this.serving(
      "tracker",
      "--listen",
      this.address,
      "--http",
      "none",
      "--data",
      this.place.path("data/warpfarm/tracker"),
    );
  }

  builder(): Promise<Running> {
    return this.serving("builder", "--tracker", this.address);
  }

  runner(...flags: readonly string[]): Promise<Running> {
    return this.serving("runner", "--tracker", this.address, "--device", "cpu", ...flags);
  }

  /** Any command, which ends with the farm at the latest. */
  begin(...args: readonly string[]): Running {
    const part = start(this.place, args);
    this.parts.push(part);
    return part;
  }

  /** One that says when it is ready. */
  serving(...args: readonly string[]): Promise<Running> {
    return this.#ready(this.begin(...args), args);
  }

  /**
   * A runner of one thread, as on a machine of this name. It takes turns with the others of this farm: launches are timed alone.
   * Needs root.
   */
  elsewhere(machine: string, env: Readonly<Record<string, string>>, ...flags: readonly string[]): Promise<Running> {
    const args = ["runner", "--device", "cpu", "--threads", "1", "--cache", this.place.path(`cache-${machine}`), ...flags];
    const part = start(this.place, args, { machine, env });
    this.parts.push(part);
    return this.#ready(part, args);
  }

  async #ready(part: Running, args: readonly string[]): Promise<Running> {
    await until(() => part.stdout().includes("ready"), args.join(" "), 120_000).catch((error: Error) => {
      throw new Error(`${error.message}\n${part.stderr()}`);
    });
    return part;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const part of this.parts) part.kill("SIGKILL");
    await this.#here?.[Symbol.asyncDispose]();
    this.place[Symbol.dispose]();
  }
}

/** Ends with the test, however that ends. */
export function processFarm(): ProcessFarm {
  const farm = new ProcessFarm();
  onTestFinished(() => farm[Symbol.asyncDispose]());
  return farm;
}
