/**
 * What processes under test said. A test that fails shows it (show-heard.ts), for the processes that ran while it did, so that
 * one that waited in vain for a process tells why.
 */
interface Process {
  readonly name: string;
  readonly said: () => string;
  /** Whether it ended, and how. */
  readonly end: () => string | number | null;
}

const mostSaid = 3_000;
const processes = new Set<Process>();

/** From now on, until a test is over after whose end it does not run. */
export function hear(process: Process): void {
  processes.add(process);
}

/** The last words of all. */
export const heard = (): readonly string[] =>
  [...processes].map(({ name, said, end }) => {
    const text = said();
    const left = text.length > mostSaid ? `... ${text.length - mostSaid} characters before ...\n` : "";
    return `${name}: ${end() === null ? "runs" : `ended with ${end()}`}\n${left}${text.slice(-mostSaid)}`;
  });

export function forgetEnded(): void {
  for (const process of processes) if (process.end() !== null) processes.delete(process);
}
export const forgetAll = (): void => processes.clear();
