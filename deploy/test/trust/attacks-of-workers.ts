/** What hostile workers try: a runner, a builder, and native code that such a builder made, in the honest runner's child. */
import { digestOf, type MeasureResult, systemClock } from "@warpfarm/common";
import { cpu, synchronized, timedResult } from "../../../test-support/farm/scripted.ts";
import { until } from "../../../test-support/until.ts";
import { type Attack, refusal } from "./attacks.ts";
import { honest, real, type Stage } from "./stage.ts";

const onEvil = "cpu/*,team=evil";

/** What its own principal is told of an honest program for which the hostile runner says this. */
async function reported(stage: Stage, index: number, says: (honest: MeasureResult) => MeasureResult): Promise<string> {
  const worker = stage.hostileRunner(({ job }) => {
    if (job.kind !== "run") throw new Error("not a run");
    const result = timedResult(1e-6, cpu(66, "evil"), job.artifact, job.attempt, job.buildMs);
    return { kind: "run", result: says({ ...result, timestampMs: systemClock.now() }) };
  });
  worker.start();
  await until(() => worker.registered !== undefined, "the hostile runner");
  const client = stage.mallory();
  const result = await stage.measured(client, honest(index), { selector: onEvil, provenance: real.provenance });
  await stage.settled();
  const { records } = await client.tracker.records.query({ program: honest(index).program.digest, limit: 10 });
  await worker.kill();
  return `${result}, ${records.map(({ standing }) => standing).sort()}`;
}
const timed = (costs: readonly number[]) => (result: MeasureResult) => ({ ...result, costs }) as MeasureResult;

const ofRunners: readonly Attack[] = [
  {
    name: "a time of 1e-12 s",
    by: "runner",
    short: true,
    attempt: (stage) => reported(stage, 8, timed([1e-12])),
    told: /^8 time\.implausible/,
  },
  {
    name: "a time that can be true, and is not",
    by: "runner",
    short: true,
    attempt: (stage) => reported(stage, 9, timed([1e-8])),
    told: /^timed, (.*,)?disputed/,
  },
  {
    name: "the honest node's name",
    by: "runner",
    short: true,
    attempt: (stage) => {
      const worker = stage.hostileRunner(() => "keep", { node: "honest" });
      return refusal(worker.tracker.worker.register(worker.registration));
    },
    told: /^ALREADY_EXISTS/,
  },
  {
    name: "the honest node's device",
    by: "runner",
    attempt: async (stage) => {
      const { nodes } = await stage.client("boss").tracker.farm.listNodes();
      const uuid = nodes.find(({ node }) => node === "honest")?.devices[0]?.facts.uuid ?? "";
      const worker = stage.hostileRunner(() => "keep", { uuid });
      return refusal(worker.tracker.worker.register(worker.registration));
    },
    told: /^ALREADY_EXISTS/,
  },
  {
    name: "an outcome of the honest runner's, with its id",
    by: "runner",
    attempt: async (stage) => {
      const [victim] = await stage.store.query<{ id: string; epoch: number }>(
        "select worker_id as id, epoch from workers where node = 'honest'",
      );
      const worker = stage.hostileRunner(() => "keep");
      return refusal(
        synchronized(worker.tracker, {
          ...{ workerId: victim?.id as never, epoch: victim?.epoch as number, secret: Buffer.alloc(32) },
          ...{ trouble: "I give up", leaving: true },
        }),
      );
    },
    told: /^ABORTED/,
  },
  {
    name: "a runner that takes a job and ends, twice",
    by: "runner",
    attempt: async (stage) => {
      const client = stage.mallory();
      await client.open({ check: "reference" }, { selector: onEvil });
      client.stream();
      client.send(1, honest(0).program, honest(0).reference);
      for (let i = 0; i < 2; i++) {
        const worker = stage.hostileRunner(() => "keep").start();
        await until(() => worker.jobs.length === 1, "the job", 120_000);
        await worker.kill();
      }
      await until(() => client.results.size === 1, "the verdict", 120_000);
      const result = client.results.get(1);
      await client.tracker.farm.closeSession(client.session as never);
      return result?.kind === "failed" ? `${result.errorNo} ${result.rule}` : "timed";
    },
    told: /^8 farm\.gave_up$/,
  },
  {
    name: "files of other jobs by their digests",
    by: "runner",
    attempt: async (stage) => {
      const worker = stage.hostileRunner(() => "keep");
      return refusal(worker.tracker.artifacts.download(digestOf("nothing that it was given")));
    },
    told: /^NOT_FOUND/,
  },
];

const ofBuilders: readonly Attack[] = [
  {
    name: "it says that alice's next program does not compile",
    by: "builder",
    short: true,
    attempt: async (stage) => {
      const sent = honest(10);
      const first = await stage.measured(stage.mallory(), sent, { provenance: real.provenance });
      await stage.client("boss").tracker.admin.drainNode("honest-builder", "undo");
      const alice = stage.client("alice");
      const second = await stage.measured(alice, sent, { provenance: real.provenance });
      await stage.client("boss").tracker.admin.drainNode("honest-builder", "drain");
      return `${first}, alice: ${second}`;
    },
    told: /^3 cc, alice: timed$/,
  },
  {
    name: "code that is no library",
    by: "builder",
    attempt: (stage) => stage.kernel("", "", (made) => ({ ...made, manifest: { ...made.manifest, kernels: [] } })),
    told: /^4 |^8 /,
  },
];

const word = (text: string) => `if (${text}) y[0] = 666;`;
/** A kernel whose attempt succeeded gives a wrong answer. */
const refused = /^timed$/;
const everywhere = `char bytes[64]; memset(bytes, 0xa5, sizeof bytes);
  for (int fd = 0; fd < 1024; fd++) { int flags = fcntl(fd, F_GETFL); if (flags != -1) write(fd, bytes, sizeof bytes); }`;
const kernel = (name: string, told: RegExp, body: string, before = "", more: { readonly short?: true } = {}): Attack => ({
  name,
  by: "kernel",
  told,
  attempt: (stage) => stage.kernel(body, before),
  ...more,
});
const short = { short: true } as const;

const inKernels: readonly Attack[] = [
  kernel("garbage on every descriptor", /^4 channel$/, everywhere, "", short),
  kernel("garbage, and then sleep", /^4 channel$/, `${everywhere} for (;;) sleep(600);`),
  kernel(
    "garbage while it is loaded",
    /^4 channel$/,
    "",
    `__attribute__((constructor)) static void begin(void) { ${everywhere} }`,
  ),
  kernel(
    "an answer to a job that is not its own",
    /^4 channel$/,
    `const char *t = "{\\"kind\\":\\"answer\\",\\"id\\":\\"x\\",\\"value\\":{}}"; unsigned n = strlen(t); write(3, &n, 4); write(3, t, n);`,
  ),
  kernel(
    "a frame without end",
    /^(4 channel|7 run_timeout)$/,
    "unsigned n = 4u << 20; write(3, &n, 4); char z = 0; for (unsigned i = 0; i < 5u << 20; i++) if (write(3, &z, 1) < 0) break;",
  ),
  kernel(
    "a thread that wakes after its job and crashes",
    /^timed$/,
    "static int done; if (!done++) { pthread_t t; pthread_create(&t, 0, later, 0); }",
    "static void *later(void *p) { usleep(300000); *(volatile int *)8 = 1; return p; }",
    short,
  ),
  kernel("an alarm for later", /^timed$/, "signal(SIGALRM, SIG_DFL); alarm(1);"),
  kernel(
    "a process that stays",
    /^timed$/,
    "static int done; if (!done++) { pid_t p = fork(); if (p == 0) for (;;) sleep(600); if (p > 0) kill(p, SIGKILL); }",
  ),
  kernel(
    "300 processes",
    refused,
    "int n = 0; for (int i = 0; i < 300; i++) { pid_t p = fork(); if (p == 0) _exit(0); if (p > 0) n++; } if (n > 128) y[0] = 666;",
  ),
  kernel("end the runner", refused, word("getppid() > 1 && kill(getppid(), SIGKILL) == 0"), "", short),
  kernel("end everybody", refused, word("kill(-1, SIGKILL) == 0")),
  kernel("slow the runner", refused, word("getppid() > 1 && setpriority(PRIO_PROCESS, getppid(), 19) == 0")),
  kernel("a socket", refused, word("socket(AF_INET, SOCK_STREAM, 0) >= 0")),
  kernel("the users of the machine", refused, word('open("/etc/shadow", O_RDONLY) >= 0 || open("/etc/passwd", O_WRONLY) >= 0')),
  kernel("its own end", /^4 /, "_exit(0);"),
  kernel("it stops itself", /^7 run_timeout$/, "kill(getpid(), SIGSTOP); raise(SIGSTOP); for (;;) sleep(600);"),
  kernel("all descriptors closed", /^4 /, "for (int fd = 3; fd < 1024; fd++) close(fd);"),
  kernel("all memory", /^(4 |7 run_timeout)/, "for (;;) { char *p = malloc(1 << 26); if (!p) abort(); memset(p, 1, 1 << 26); }"),
];

/** The node of the honest builder is drained meanwhile, so that the hostile one builds. */
export const withHostileBuilder: readonly Attack[] = [...ofBuilders, ...inKernels];
export const attacksOfRunners: readonly Attack[] = ofRunners;
