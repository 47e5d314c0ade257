/** Flags that many commands take. */
import { badInput } from "@warpfarm/common";
import { type Command, Option } from "commander";
import { addresses, several } from "./parse.ts";

export const defaultTracker = "127.0.0.1:9290";

const groups = {
  farm: "Farm (a flag wins over the environment, the environment over config.yaml):",
  files: "Files:",
  output: "Output:",
} as const;

interface SharedFlag {
  readonly flags: string;
  readonly about: string;
  readonly group: keyof typeof groups;
  readonly parse?: (text: string, before: readonly string[] | undefined) => unknown;
}

const sharedFlags = {
  tracker: {
    flags: "--tracker <host:port,...>",
    about: `the farm's tracker, or several of one farm: if one dies, the next is used (WARPFARM_TRACKER, tracker; default: tune, measure and suite start a farm of their own, records and export read this machine's records, all others ask ${defaultTracker})`,
    group: "farm",
    parse: addresses("--tracker"),
  },
  tokenFile: {
    flags: "--token-file <file>",
    about: "file whose first line is the access token (WARPFARM_TOKEN_FILE, token_file)",
    group: "farm",
  },
  tlsCa: {
    flags: "--tls-ca <file>",
    about: "PEM of the authority that signed the other side's certificate; turns TLS on (WARPFARM_TLS_CA, tls_ca)",
    group: "farm",
  },
  tlsCert: {
    flags: "--tls-cert <file>",
    about: "PEM of your certificate, if the tracker requires one; turns TLS on (WARPFARM_TLS_CERT, tls_cert)",
    group: "farm",
  },
  tlsKey: { flags: "--tls-key <file>", about: "PEM of its key (WARPFARM_TLS_KEY, tls_key)", group: "farm" },
  logs: {
    flags: "--logs <path>",
    about: "take records from a tuning log, or a folder of logs, and from nothing else",
    group: "files",
  },
  skipBroken: {
    flags: "--skip-broken",
    about: "leave out lines of logs that are broken, and say how many there were (default: refuse the file)",
    group: "files",
  },
  allowInclude: {
    flags: "--allow-include <dir>",
    about:
      "a folder outside its own from which a spec or a suite may name headers, tensors and other files; repeat it for several",
    group: "files",
    parse: several,
  },
  json: { flags: "--json", about: "one line of JSON on stdout", group: "output" },
} as const satisfies Readonly<Record<string, SharedFlag>>;

type SharedName = keyof typeof sharedFlags;
export const connection = ["tracker", "tokenFile", "tlsCa", "tlsCert", "tlsKey"] as const satisfies readonly SharedName[];

const isShared = (name: string): name is SharedName => Object.hasOwn(sharedFlags, name);
const takenBy = new WeakMap<Command, Set<SharedName>>();

/** Declares which shared flags a command takes; their values come with its own flags. */
export function takes(command: Command, ...names: readonly SharedName[]): Command {
  takenBy.set(command, new Set([...(takenBy.get(command) ?? []), ...names]));
  return command;
}

export const sharedOf = (command: Command): readonly Option[] => {
  const taken = takenBy.get(command) ?? new Set();
  return options().filter((option) => taken.has(option.attributeName() as SharedName));
};

const options = (): readonly Option[] =>
  Object.values(sharedFlags).map(({ flags, about, group, ...rest }: SharedFlag) => {
    const option = new Option(flags, about).helpGroup(groups[group]);
    return rest.parse === undefined ? option : option.argParser<readonly string[] | undefined>(rest.parse as never);
  });

/** Declares all of them, and gives each command the values of those that it takes. Throws bad input for another one. */
export function declareShared(program: Command): Command {
  for (const option of options()) program.addOption(option);
  return program.hook("preAction", (_program, command) => {
    const taken = takenBy.get(command) ?? new Set();
    for (const option of program.options) {
      const name = option.attributeName();
      if (!isShared(name) || program.getOptionValue(name) === undefined) continue;
      if (!taken.has(name)) throw badInput(`${command.name()} takes no ${option.long}; leave it out`);
      command.setOptionValue(name, program.getOptionValue(name));
    }
  });
}

/** The words of a command line without flags and values of shared ones, which may stand anywhere. */
export function plainWords(argv: readonly string[]): readonly string[] {
  const withValue = new Set(
    options()
      .filter(({ required }) => required)
      .map(({ long }) => long),
  );
  return argv.filter((word, at) => !word.startsWith("-") && !withValue.has(argv[at - 1]));
}
