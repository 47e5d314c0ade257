/** Build targets in TVM's words and back, so TVM's tools read our log lines and we read theirs. */
import { backendOf, backends, isTarget } from "@warpfarm/common";

/** `cuda/sm_90` -> TVM 0.17's canonical text; CPU levels become -mcpu. */
export function autotvmTarget(target: string): string {
  const backend = backendOf(target);
  return backends.of(backend).tvm.write(target.slice(backend.length + 1));
}

/** The build target that TVM's text means; undefined when it names no architecture that Warpfarm knows. */
export function targetOfAutotvm(text: string): string | undefined {
  const words = text.trim().split(/\s+/);
  const option = (name: string) => words.find((w) => w.startsWith(`-${name}=`))?.slice(name.length + 2);
  return backends.names
    .map((name) => `${name}/${backends.of(name).tvm.read(words[0] ?? "", option)}`)
    .find((target) => isTarget(target));
}
