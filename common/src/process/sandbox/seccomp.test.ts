/**
 * The filters of both machines, run by an interpreter of classic BPF: what the kernel would answer to each call. Numbers come
 * from the kernel's headers where they are installed, so a wrong number of the table is found on any machine.
 */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { callsOfAll, callsOfCompilers, newestCall, ruledCalls } from "./calls.ts";
import { type Contents, filterAtStart, filterOnceUp, type Instruction } from "./seccomp.ts";

const machines = { x64: { audit: 0xc000_003e, column: 0 }, arm64: { audit: 0xc000_00b7, column: 1 } } as const;
type Machine = keyof typeof machines;
const contents = ["kernels", "compilers"] as const;
const starter = { pid: 4000, group: 3999 };
const child = 5000;

/** The answer of the kernel: "allow", or the errno. */
function answer(filter: readonly Instruction[], audit: number, number: number, args: readonly bigint[] = []): "allow" | number {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, number, true);
  data.setUint32(4, audit, true);
  for (const [i, value] of args.entries()) data.setBigUint64(16 + 8 * i, BigInt.asUintN(64, value), true);
  let register = 0;
  for (let at = 0; at < filter.length; at++) {
    const { code, whenTrue, whenFalse, value } = filter[at] as Instruction;
    const k = value >>> 0;
    const jump = (holds: boolean): void => {
      at += holds ? whenTrue : whenFalse;
    };
    if (code === 0x20) register = data.getUint32(k, true);
    else if (code === 0x15) jump(register === k);
    else if (code === 0x25) jump(register > k);
    else if (code === 0x45) jump((register & k) !== 0);
    else if (code === 0x06) return k === 0x7fff_0000 ? "allow" : (k & 0xffff_0000) === 0x0005_0000 ? k & 0xffff : -1;
    else throw new Error(`an instruction of classic BPF that this filter has no need of: ${code}`);
  }
  throw new Error("the filter has no end");
}

function asker(machine: Machine, what: Contents, stage: "start" | "up") {
  const filter = stage === "start" ? filterAtStart(machine, what, starter) : filterOnceUp(machine, what, child);
  if (filter === undefined) throw new Error(`no filter for ${machine}`);
  const { audit } = machines[machine];
  return (number: number, ...args: readonly (number | bigint)[]) => answer(filter, audit, number, args.map(BigInt));
}

/** Numbers by name, of headers that may be there. */
function header(path: string): ReadonlyMap<string, number> | undefined {
  if (!existsSync(path)) return undefined;
  const found = readFileSync(path, "utf8").matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)/gm);
  return new Map([...found].map(([, name = "", number]) => [name, Number(number)]));
}
const headers = {
  x64: header("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
  arm64: header("/usr/include/asm-generic/unistd.h"),
};
/** The generic header has this one under another name. */
const genericName = (name: string): string => (name === "newfstatat" ? "fstatat" : name);

const allCalls = { ...callsOfAll, ...callsOfCompilers, ...ruledCalls } as Readonly<Record<string, readonly [number, number?]>>;

describe.each(["x64", "arm64"] as const)("on %s", (machine) => {
  const { column, audit } = machines[machine];
  const numberOf = (name: keyof typeof ruledCalls): number => ruledCalls[name][column];

  test("every number of the table is the kernel's", (ctx) => {
    const known = headers[machine];
    if (known === undefined) return ctx.skip("no headers of the kernel (Debian: linux-libc-dev)");
    for (const [name, numbers] of Object.entries(allCalls))
      expect([name, numbers[column]]).toEqual([name, known.get(machine === "x64" ? name : genericName(name))]);
    return undefined;
  });

  test.each(contents)("of all numbers %s may make those of the list, and those with a rule", (what) => {
    const ask = asker(machine, what, "start");
    const listed = { ...callsOfAll, ...(what === "compilers" ? callsOfCompilers : {}) };
    const simple = new Set(Object.values(listed).map((numbers) => numbers[column]));
    const ruled = new Set<number>(Object.values(ruledCalls).map((numbers) => numbers[column]));
    for (let number = 0; number < newestCall + 100; number++) {
      if (ruled.has(number)) continue;
      expect([number, ask(number)]).toEqual([number, simple.has(number) ? "allow" : number > newestCall ? 38 : 1]);
    }
    for (const name of ["execve", "seccomp"] as const) expect(ask(numberOf(name))).toBe("allow");
    // The x32 interface of x64.
    expect(ask(0x4000_0000 + 1)).toBe(38);
  });

  test("kernels lack what changes files and starts processes; compilers have it", () => {
    for (const [name, numbers] of Object.entries(callsOfCompilers)) {
      const number = numbers[column];
      if (number === undefined) continue;
      expect([name, asker(machine, "kernels", "start")(number)]).toEqual([name, 1]);
      expect([name, asker(machine, "compilers", "start")(number)]).toEqual([name, "allow"]);
    }
  });

  test.each(contents)("a call of another machine's interface is refused, whatever its number, for %s", (what) => {
    const other = machine === "x64" ? 0x4000_0003 : 0x4000_0028;
    for (const filter of [filterAtStart(machine, what, starter), filterOnceUp(machine, what, child)])
      for (const number of [0, 1, 4, 63]) expect(answer(filter ?? [], other, number)).toBe(1);
    expect(filterAtStart(machine, what, starter)?.length).toBeLessThanOrEqual(4096);
    for (const { whenTrue, whenFalse } of filterAtStart(machine, what, starter) ?? [])
      expect(Math.max(whenTrue, whenFalse)).toBeLessThan(256);
    expect(answer(filterAtStart(machine, what, starter) ?? [], audit, numberOf("execve"))).toBe("allow");
  });

  test("a new process only for compilers, a new namespace or sibling for nobody, and clone3 looks missing", () => {
    const kernels = asker(machine, "kernels", "start");
    const compilers = asker(machine, "compilers", "start");
    const SIGCHLD = 17;
    const pthread = 0x3d_0f00; // VM, FS, FILES, SIGHAND, THREAD, SYSVSEM, SETTLS, PARENT_SETTID, CHILD_CLEARTID
    expect([kernels(numberOf("clone"), SIGCHLD), compilers(numberOf("clone"), SIGCHLD)]).toEqual([1, "allow"]);
    expect([kernels(numberOf("clone"), pthread), compilers(numberOf("clone"), pthread)]).toEqual(["allow", "allow"]);
    for (const flag of [0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000, 0x8000])
      for (const ask of [kernels, compilers])
        for (const more of [SIGCHLD, pthread]) expect([flag, ask(numberOf("clone"), flag | more)]).toEqual([flag, 1]);
    for (const ask of [kernels, compilers]) expect(ask(numberOf("clone3"))).toBe(38);
  });

  test.each(contents)("limits of this process only, and no signal to the one that started it, for %s", (what) => {
    const ask = asker(machine, what, "start");
    expect([ask(numberOf("prlimit64"), 0, 7), ask(numberOf("prlimit64"), starter.pid, 7)]).toEqual(["allow", 1]);
    const kill = (pid: number) => ask(numberOf("kill"), pid, 9);
    expect([starter.pid, -starter.group, -1].map(kill)).toEqual([1, 1, 1]);
    expect([0, child, -child].map(kill)).toEqual(["allow", "allow", "allow"]);
    expect([starter.pid, child].map((pid) => ask(numberOf("tgkill"), pid, pid, 6))).toEqual([1, "allow"]);
    // The group is another namespace's. 0 is the own group.
    const inside = filterAtStart(machine, what, { pid: 1, group: 0 }) ?? [];
    expect(answer(inside, audit, numberOf("kill"), [0n, 9n])).toBe("allow");
    expect(answer(inside, audit, numberOf("kill"), [1n, 9n])).toBe(1);
  });

  test.each(contents)("of ioctl, fcntl and prctl what Node and the C library need, for %s", (what) => {
    const ask = asker(machine, what, "start");
    const [terminal, nonBlocking, typeIn, fileFlags] = [0x5401, 0x5421, 0x5412, 0x4008_6602];
    expect([terminal, nonBlocking, typeIn, fileFlags].map((of) => ask(numberOf("ioctl"), 3, of))).toEqual([
      "allow",
      "allow",
      25,
      25,
    ]);
    const [setFd, lock, setOwner, setSignal, setOwnerEx, lease, dupCloexec] = [2, 7, 8, 10, 15, 1024, 1030];
    const fcntl = (command: number) => ask(numberOf("fcntl"), 3, command, starter.pid);
    expect([setFd, lock, setOwner, setSignal, dupCloexec].map(fcntl)).toEqual(Array(5).fill("allow"));
    expect([setOwnerEx, lease].map(fcntl)).toEqual([22, 22]);
    const [parentDeath, setName, setSeccomp, setMm, schedCore, setVma] = [1, 15, 22, 35, 62, 0x5356_4d41];
    expect([parentDeath, setName, setVma].map((of) => ask(numberOf("prctl"), of))).toEqual(Array(3).fill("allow"));
    expect([setSeccomp, setMm, schedCore].map((of) => ask(numberOf("prctl"), of))).toEqual([22, 22, 22]);
  });

  test("pairs of sockets are streams between a compiler and its parent", () => {
    const [unix, inet, stream, datagram, cloexec] = [1, 2, 1, 2, 0x8_0000];
    const ask = (what: Contents, family: number, type: number) =>
      asker(machine, what, "start")(numberOf("socketpair"), family, type);
    expect([ask("compilers", unix, stream), ask("compilers", unix, stream | cloexec)]).toEqual(["allow", "allow"]);
    expect([ask("compilers", unix, datagram), ask("compilers", inet, stream), ask("kernels", unix, stream)]).toEqual([1, 1, 1]);
  });

  test("once up, kernels start no program and signal nobody but themselves; no file has the kernel send signals", () => {
    const kernels = asker(machine, "kernels", "up");
    const compilers = asker(machine, "compilers", "up");
    expect([kernels(numberOf("execve")), compilers(numberOf("execve"))]).toEqual([1, "allow"]);
    expect([child, -child, 0, child + 1, 1, -1].map((pid) => kernels(numberOf("kill"), pid, 9))).toEqual([
      ...["allow", "allow", "allow"],
      ...[1, 1, 1],
    ]);
    expect([child, child + 1].map((pid) => kernels(numberOf("tgkill"), pid, pid, 6))).toEqual(["allow", 1]);
    for (const ask of [kernels, compilers]) {
      expect([8, 10].map((command) => ask(numberOf("fcntl"), 3, command))).toEqual([22, 22]);
      expect([ask(numberOf("seccomp")), ask(numberOf("fcntl"), 3, 2)]).toEqual([1, "allow"]);
    }
  });
});

test("a machine whose calls are not known has no filter", () => {
  expect(filterAtStart("riscv64", "kernels", starter)).toBeUndefined();
  expect(filterOnceUp("riscv64", "compilers", child)).toBeUndefined();
});
