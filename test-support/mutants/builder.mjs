export const faults = [
  {
    name: "cache-toolchain",
    why: "what another compiler made is taken from the cache",
    find: "canonicalJson([digest, compiler, toolchain, flags])",
    to: "canonicalJson([digest, compiler, flags])",
  },
  {
    name: "cache-program",
    why: "an entry of another program is believed",
    find: "if (artifact?.manifest.program === program.digest) return artifact;",
    to: "if (artifact !== undefined) return artifact;",
  },
  {
    name: "cache-code",
    why: "code that rotted on the disk is handed out",
    find: "if (!decoded.ok || digestOf(code) !== decoded.value.code) return undefined;",
    to: "if (!decoded.ok) return undefined;",
  },
  {
    name: "others-timeout",
    why: "a build that waits for an equal one gets that one's timeout",
    find: 'if (result?.kind === "failed" && result.result.errorNo !== measureErrorNo.BUILD_TIMEOUT) return result;',
    to: 'if (result?.kind === "failed") return result;',
  },
  {
    name: "others-refusal",
    why: "an equal build that was refused is compiled again by each that waits",
    find: 'if (result?.kind === "failed" && result.result.errorNo !== measureErrorNo.BUILD_TIMEOUT) return result;',
    to: "",
  },
  {
    name: "disk-full",
    built: true,
    why: "a full disk is the program's fault",
    find: 'if (!compiled.ok && (compiled.rule === "disk" || /No space left on device|Disk quota exceeded/.test(compiled.log)))',
    to: "if (false)",
  },
  {
    name: "limits",
    built: true,
    why: "a compile may take any memory",
    find: "libc.setLimit(resource, BigInt(most), BigInt(most));",
    to: 'if (resource !== "dataBytes") libc.setLimit(resource, BigInt(most), BigInt(most));',
  },
  {
    name: "client-text",
    built: true,
    why: "a client's own text is compiled where there is no sandbox",
    find: "clientText: settings.clientText,",
    to: 'clientText: "any" as never,',
  },
];
