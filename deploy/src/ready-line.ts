/** Parses the line that a long-lived process prints once on stdout when it is ready. */
export type Role = "tracker" | "builder" | "runner";

export interface ReadyLine {
  readonly address?: string;
  readonly http?: string;
  readonly key?: string;
}

const lines: { readonly [R in Role]: RegExp } = {
  tracker: /^tracker ready grpc=(?<address>\S+) http=(?<http>\S+)$/,
  builder: /^builder ready /,
  runner: /^runner ready \S+ (?<key>\S+) at /,
};

/** Returns a parser of stdout lines for one role; it gives undefined for every other line. */
export const parseReadyLine =
  (role: Role) =>
  (line: string): ReadyLine | undefined => {
    const match = lines[role].exec(line);
    return match ? { ...match.groups } : undefined;
  };
