/** A farm with a real builder and a scripted device, which gives every artifact a time, so that kernels need no GPU. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { freshStore, runner as scriptedRunner, testTracker } from "../../test-support/farm/scripted.ts";
import { Party } from "./survival/party.ts";
import { bin, Place } from "./warpfarm-process.ts";

export const examples = join(dirname(fileURLToPath(new URL("../../package.json", import.meta.url))), "examples");

type Device = ReturnType<typeof scriptedRunner>;

/** The start takes two seconds of processor time, so a file's tests share the farm; each has its own directory and jobs. */
export class KernelFarm implements AsyncDisposable {
  readonly #home = new Place();
  readonly #parties: Party[] = [];
  #device: Device | undefined;
  #here: AsyncDisposable | undefined;
  #tracker = "";

  static async start(): Promise<KernelFarm> {
    const farm = new KernelFarm();
    await farm.#start().catch(async (error: unknown) => {
      await farm[Symbol.asyncDispose]();
      throw error;
    });
    return farm;
  }

  /** host:port */
  get tracker(): string {
    return this.#tracker;
  }
  /** Where its builder keeps headers that travelled. */
  get bundles(): string {
    return this.#home.path("builds/bundles");
  }

  /** Resources of one test: a directory with the example kernel, and the artifacts that the device received since. */
  forTest(): { readonly place: Place; readonly tracker: string; readonly jobs: () => Device["jobs"] } {
    const place = new Place();
    onTestFinished(() => place[Symbol.dispose]());
    for (const name of ["vector_add.cu", "vector_add.yaml", "items.cuh"])
      writeFileSync(place.path(name), readFileSync(join(examples, name)));
    const before = this.#device?.jobs.length;
    return { place, tracker: this.#tracker, jobs: () => this.#device?.jobs.slice(before) ?? [] };
  }

  async #start(): Promise<void> {
    mkdirSync(this.#home.path("run"));
    const tracker = await testTracker(await freshStore());
    this.#here = tracker;
    this.#tracker = `127.0.0.1:${tracker.grpcPort}`;
    await this.#part("builder", "--tracker", this.#tracker, "--cache", this.#home.path("builds"), "--slots", "2").ready;
    this.#device = scriptedRunner(this.#tracker, 1, undefined, { key: "cuda/sm_90" }).start();
  }

  #part(role: string, ...flags: readonly string[]): Party {
    const env = { ...this.#home.env, XDG_RUNTIME_DIR: this.#home.path("run") };
    const party = new Party(process.execPath, [bin(), role, ...flags], new RegExp(`^${role} ready `), env);
    this.#parties.push(party);
    return party;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#device?.kill();
    for (const party of this.#parties) party.kill("SIGKILL");
    await Promise.all(this.#parties.map(({ ended }) => ended));
    await this.#here?.[Symbol.asyncDispose]();
    this.#home[Symbol.dispose]();
  }
}
