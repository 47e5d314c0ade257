/** What the page of a tracker says of the measurements of a run that are not over. */
import { defined, type SessionId } from "@warpfarm/common";
import type { RunDetail } from "@warpfarm/web";
import { expect, it } from "vitest";
import { useFarms } from "../../test-support/farm/farms.ts";
import { builder, programOf, runner } from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";

const { farm } = useFarms();

it("names what runs by the trial's place in its search, the default schedule by 0, and what is no search by its input", async () => {
  const { tracker, address, start, client } = await farm({ http: "127.0.0.1:0" });
  start(builder(address));
  start(runner(address, 1, () => "keep"));
  const runOf = async (id: string) =>
    (await (await fetch(`http://127.0.0.1:${tracker.httpPort}/api/runs/${id}`)).json()) as Partial<RunDetail>;
  const program = (name: string) => ({ kind: "program", program: programOf(name) }) as const;
  const running = async (id: string) => {
    const found = async () => (await runOf(id)).running ?? [];
    await until(async () => (await found()).some(({ step }) => step === "run"), "a measurement that runs");
    return (await found()).map(({ sequence, step }) => [sequence, step]);
  };
  /** The one device keeps what it was given until its session is closed. */
  const shown = async (provenance: object, proposal?: { config: string; trial: number; told: number }) => {
    const one = client();
    await one.open({}, { provenance });
    one.stream();
    one.raw({ kind: "input", sequence: 1, program: program(JSON.stringify(proposal ?? provenance)), ...defined({ proposal }) });
    const id = one.session as SessionId;
    const found = await running(id);
    await one.tracker.farm.closeSession(id);
    return found;
  };
  const search = { task: "matmul", args: [1, "x"], tuner: "auto", trials: 9 };
  expect(await shown(search, { config: JSON.stringify([["tile", "ot", 1]]), trial: 7, told: 0 })).toEqual([[7, "run"]]);
  // A client of another kind may count as far as the wire does.
  const last = { config: "[]", trial: Number.MAX_SAFE_INTEGER, told: 0 };
  expect(await shown(search, last)).toEqual([[last.trial, "run"]]);
  expect(await shown(search)).toEqual([[0, "run"]]);
  expect(await shown({})).toEqual([[1, "run"]]);
  // Finalists, which are measured in turns.
  const one = client();
  await one.open({}, { provenance: search, paired: { rounds: 2, idleMs: 0 } });
  one.stream();
  one.raw({ kind: "input", sequence: 1, program: program("a"), others: [program("b")] });
  expect(await running(one.session as SessionId)).toEqual([[1, "run"]]);
});
