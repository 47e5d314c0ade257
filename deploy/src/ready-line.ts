/**
 * What a long-lived process says once on stdout, one JSON line, when it can work or when it refuses: for whoever started it and for
 * scripts. Everything else these processes say goes to stderr.
 */
export interface ReadyLine {
  readonly role: string;
  /** host:port it listens on (tracker). */
  readonly address?: string;
  readonly http?: string;
  /** Match keys of its devices (runner) or targets it builds for (builder). */
  readonly keys?: readonly string[];
  /** Why it does not start; `locked`: a live process holds the data directory. */
  readonly refused?: "locked";
  readonly message?: string;
}

export const printReadyLine = (line: ReadyLine): string => `${JSON.stringify({ warpfarm: "ready", ...line })}\n`;

/** A parser of stdout lines for one role; undefined for every other line. */
export const parseReadyLine =
  (role: string) =>
  (line: string): ReadyLine | undefined => {
    if (!line.startsWith('{"warpfarm":"ready"')) return undefined;
    const found = JSON.parse(line) as ReadyLine;
    return found.role === role ? found : undefined;
  };
