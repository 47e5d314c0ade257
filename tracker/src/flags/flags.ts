/** The command line of `warpfarm tracker`. All checks run before anything is opened. */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { didYouMean, fileFault } from "@warpfarm/common";
import { isLoopback, parseAddress, type TlsFiles } from "@warpfarm/proto";
import { readReceiptKey } from "../doors/receipt-key.ts";
import { TokenDoors, type TokenFile } from "../doors/token-doors.ts";
import { parseTokenFile } from "../doors/token-file.ts";
import { bad, bytes, count, dayMs, time } from "./flag-values.ts";
import { parseQuotas, type QuotaFlags, quotaOption } from "./quota-flags.ts";

export interface TrackerFlags {
  readonly listen: string;
  readonly http: string | undefined;
  readonly data: string;
  readonly tls: TlsFiles | undefined;
  readonly tokens: TokenFile | undefined;
  readonly httpTls: boolean;
  readonly receiptKey: string | undefined;
  readonly leaseTtlMs: number | undefined;
  readonly idleMs: number | undefined;
  readonly maxStoreBytes: number | undefined;
  readonly keepMs: number | undefined;
  readonly recordInbox: string | undefined;
  readonly keepFailuresMs: number | undefined;
  /** Claims given to builders in a second. */
  readonly verifyPerSecond: number | undefined;
  readonly quotas: QuotaFlags;
  readonly exitWithParent: boolean;
}

function file(flag: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    return bad(`${flag} ${path} cannot be read: ${fileFault(error)}`);
  }
}

function readTokenFile(path: string): TokenFile {
  const text = file("--token-file", path).toString();
  const lines = parseTokenFile(text);
  if (lines.length === 0) bad(`--token-file ${path} has no token; "warpfarm token create" makes one`);
  return { path, text, lines, doors: new TokenDoors(lines) };
}

function receiptKeyFile(path: string | undefined): string | undefined {
  if (path !== undefined) readReceiptKey(path);
  return path;
}

const tokens = "Farms with tokens:";
const kept = "Times and space:";
const embedded = "As a part of another process:";

export const trackerFlags = {
  listen: { type: "string", value: "<host:port>", about: "gRPC; port 0 takes a free one (default 127.0.0.1:9290)" },
  http: {
    type: "string",
    value: "<host:port>",
    about: "the page, /healthz /readyz /metrics /farm; none = no HTTP (default 127.0.0.1:9291)",
  },
  data: { type: "string", value: "<dir>", about: "directory of the store; `memory` keeps nothing after exit" },
  "database-url": {
    type: "string",
    value: "<url>",
    about:
      "a PostgreSQL database as the store, shared by any number of trackers: postgres://user@host/name (or WARPFARM_DATABASE_URL, where no list of processes shows its password)",
  },
  "tls-cert": { type: "string", value: "<file>", about: "PEM of this tracker's certificate: serve TLS" },
  "tls-key": { type: "string", value: "<file>", about: "PEM of its key" },
  "tls-ca": { type: "string", value: "<file>", about: "require clients and workers to show a certificate of this authority" },
  "token-file": {
    type: "string",
    value: "<file>",
    about:
      'who may do what: lines "role name sha256:<hash of the token>" or "role name certificate", roles client, builder, runner, admin, metrics; warpfarm token writes them; read again when it changes',
  },
  "receipt-key": {
    type: "string",
    value: "<file>",
    about:
      "the private key that signs receipts of measurements, equal at all trackers of a farm; warpfarm keys rotate makes it (default: none are signed)",
  },
  insecure: { type: "boolean", about: "allow listening off loopback without TLS and tokens; HTTP is plain then" },
  "lease-ttl": {
    type: "string",
    group: kept,
    value: "<time>",
    about: "how long a silent worker keeps its jobs; equal at all trackers of a farm (default 30s)",
  },
  "session-idle": { type: "string", group: kept, value: "<time>", about: "how long a session outlives its client (default 15m)" },
  "keep-artifacts": {
    type: "string",
    group: kept,
    value: "<time>",
    about: "how long programs and artifacts stay after their last use (default 1d)",
  },
  "artifact-space": {
    type: "string",
    group: kept,
    value: "<GiB>",
    about: "space for artifacts in the store; builders wait for room when it is full (default 4)",
  },
  "keep-failures": {
    type: "string",
    group: kept,
    value: "<time>",
    about: "how long records of failures stay; the newest 10 million other records and the best stay (default 30d)",
  },
  "record-inbox": {
    type: "string",
    group: embedded,
    value: "<dir>",
    about:
      "write records here as files, for the next command that opens the records of this machine; the store keeps the newest 100,000",
  },
  "verify-per-second": {
    type: "string",
    group: tokens,
    value: "<n>",
    about:
      "with tokens: how many clients' claims this tracker has builders replay in a second, before others read the records; 0 = none (default 20)",
  },
  "exit-with-parent": { type: "boolean", group: embedded, about: "end when standard input closes" },
  quota: quotaOption,
} as const;

export function parseTrackerFlags(argv: readonly string[], defaultData: string, databaseUrl?: string): TrackerFlags {
  const values = (() => {
    try {
      return parseArgs({ args: [...argv], options: trackerFlags, strict: true, allowPositionals: false }).values;
    } catch (error) {
      const known = Object.keys(trackerFlags).map((name) => `--${name}`);
      const unknown = argv
        .map((word) => word.split("=", 1)[0] as string)
        .find((word) => word.startsWith("--") && !known.includes(word));
      if ((error as NodeJS.ErrnoException).code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION" || unknown === undefined)
        return bad((error as Error).message);
      return bad(`there is no ${unknown}${didYouMean(unknown, known)}`);
    }
  })();
  const { listen = "127.0.0.1:9290", http = "127.0.0.1:9291", data: directory } = values;
  const url = values["database-url"] ?? (directory === undefined ? databaseUrl : undefined);
  if (url !== undefined && directory !== undefined) bad("--data and --database-url: give one of them");
  if (url !== undefined && !/^postgres(ql)?:\/\/./.test(url)) bad("--database-url must be postgres://user@host:port/name");
  const data = url ?? directory ?? defaultData;
  const cert = values["tls-cert"];
  const key = values["tls-key"];
  const ca = values["tls-ca"];
  const tokenFile = values["token-file"];
  if ((cert === undefined) !== (key === undefined)) bad("--tls-cert and --tls-key go together");
  if (ca !== undefined && cert === undefined) bad("--tls-ca needs --tls-cert and --tls-key");
  const { host } = parseAddress(listen);
  if (!isLoopback(host) && !values.insecure && (cert === undefined || tokenFile === undefined))
    bad(`--listen ${listen} is not loopback: give --tls-cert, --tls-key and --token-file, or --insecure`);
  const isHttpOutside = http !== "none" && !isLoopback(parseAddress(http).host);
  if (isHttpOutside && !values.insecure && (cert === undefined || tokenFile === undefined))
    bad(`--http ${http} is not loopback: give --tls-cert, --tls-key and --token-file, or --insecure, or put a proxy before it`);
  const maxStoreBytes = bytes("--artifact-space", values["artifact-space"], "GiB", 0.1, 1_000_000);
  return {
    listen,
    http: http === "none" ? undefined : http,
    data,
    tls:
      cert === undefined || key === undefined
        ? undefined
        : {
            cert: file("--tls-cert", cert),
            key: file("--tls-key", key),
            ...(ca === undefined ? {} : { ca: file("--tls-ca", ca) }),
          },
    httpTls: isHttpOutside && !values.insecure,
    receiptKey: receiptKeyFile(values["receipt-key"]),
    tokens: tokenFile === undefined ? undefined : readTokenFile(tokenFile),
    leaseTtlMs: time("--lease-ttl", values["lease-ttl"], { lowMs: 1000, highMs: dayMs }),
    idleMs: time("--session-idle", values["session-idle"], { lowMs: 1000, highMs: dayMs }),
    maxStoreBytes,
    keepMs: time("--keep-artifacts", values["keep-artifacts"], { lowMs: 120_000, highMs: 366 * dayMs }),
    keepFailuresMs: time("--keep-failures", values["keep-failures"], { lowMs: 60_000, highMs: 3_660 * dayMs }),
    recordInbox: values["record-inbox"],
    verifyPerSecond: count("--verify-per-second", values["verify-per-second"], 0, 1_000),
    quotas: parseQuotas(values.quota, maxStoreBytes),
    exitWithParent: values["exit-with-parent"] ?? false,
  };
}
