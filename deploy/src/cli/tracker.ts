/** `tracker`: the process that all others connect to. */
import { join } from "node:path";
import { type RegisterCommand, readSettings, takes } from "@warpfarm/client/cli";
import { trackerFlags } from "@warpfarm/tracker/flags";
import { Option } from "commander";

interface Flag {
  readonly value?: string;
  readonly about: string;
  readonly group?: string;
  /** It may be said several times; its values are joined by commas. */
  readonly multiple?: true;
}

/** Connection flags that a server has too. Settings are for clients, so these are read from the command line alone. */
const serverFlags = ["tokenFile", "tlsCa", "tlsCert", "tlsKey"] as const;
const sharedNames = ["token-file", "tls-ca", "tls-cert", "tls-key"];
const serverWords = `
--tls-cert and --tls-key serve TLS, --tls-ca requires certificates of that authority, and
--token-file names the principals (warpfarm token). A <time> has its unit: 30s, 15m, 1h, 7d.`;

export const register: RegisterCommand = (program, context) => {
  const command = program.command("tracker").addHelpText("after", serverWords);
  takes(command, ...serverFlags);
  for (const [name, flag] of Object.entries(trackerFlags)) {
    if (sharedNames.includes(name)) continue;
    const { value, about, group, multiple }: Flag = flag;
    const option = new Option(value === undefined ? `--${name}` : `--${name} ${value}`, about);
    if (multiple) option.argParser((next: string, before?: string) => (before === undefined ? next : `${before},${next}`));
    command.addOption(group === undefined ? option : option.helpGroup(group));
  }
  command.action(async (given: Readonly<Record<string, string | true>>) => {
    const flags = Object.keys(trackerFlags).flatMap((name) => {
      const value = given[name.replace(/-[a-z]/g, (part) => part.slice(1).toUpperCase())];
      return value === undefined ? [] : [value === true ? `--${name}` : `--${name}=${value}`];
    });
    // Only this flag's default depends on the settings; a store that the user names in any way needs no default.
    const isNamed = given.data ?? given.databaseUrl ?? context.env.WARPFARM_DATABASE_URL;
    const data = isNamed ? [] : ["--data", join((await readSettings(context)).dataDir, "tracker")];
    const { trackerMain } = await import("@warpfarm/tracker");
    context.setExitCode(await trackerMain([...flags, ...data], process.env));
  });
};
