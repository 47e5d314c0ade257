/** A record's kernel as trace, loop nest and code. */
import { useEffect, useState } from "preact/hooks";
import type { RecordDetail } from "../../src/api.ts";
import type { KernelText } from "../kernel/texts.ts";
import { useParam } from "../state/hooks.ts";

type State =
  | { readonly kind: "idle" | "loading" }
  | { readonly kind: "there"; readonly texts: readonly KernelText[] }
  | { readonly kind: "error"; readonly message: string };

export function KernelTexts({ detail }: { detail: RecordDetail }) {
  const [state, setState] = useState<State>({ kind: "idle" });
  const [form, setForm] = useParam("form", "");
  const { program, ptx } = detail;
  const hasAny = program !== undefined || ptx !== undefined;
  useEffect(() => {
    if (!hasAny) return;
    let isCurrent = true;
    setState({ kind: "loading" });
    import("../kernel/texts.ts")
      .then(({ kernelTexts }) => kernelTexts({ program, ptx }))
      .then(
        (texts) => isCurrent && setState({ kind: "there", texts }),
        (error: unknown) =>
          isCurrent && setState({ kind: "error", message: error instanceof Error ? error.message : String(error) }),
      );
    return () => {
      isCurrent = false;
    };
  }, [program, ptx, hasAny]);
  if (!hasAny) return <p class="soft">The kernel's program is not stored here, so its code cannot be shown.</p>;
  if (state.kind === "error") return <p class="bad">The kernel cannot be shown: {state.message}</p>;
  if (state.kind !== "there") return <p aria-busy="true">Loading the kernel …</p>;
  const shown = Math.max(
    0,
    state.texts.findIndex(({ name }) => name === form),
  );
  const text = state.texts[shown];
  return (
    <section>
      <h2>Kernel</h2>
      <div class="tabs" role="tablist" aria-label="Forms of the kernel">
        {state.texts.map(({ name }, i) => (
          <button
            key={name}
            id={`tab-${i}`}
            type="button"
            role="tab"
            aria-selected={i === shown}
            aria-controls="kernel-text"
            onClick={() => setForm(name)}
          >
            {name}
          </button>
        ))}
      </div>
      {text && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls takes the focus, for its keys
        <pre id="kernel-text" class="code" role="tabpanel" aria-labelledby={`tab-${shown}`} tabIndex={0}>
          {/* highlight.js escapes the text: its classes are the only markup. */}
          {text.html === undefined ? <code>{text.text}</code> : <code dangerouslySetInnerHTML={{ __html: text.html }} />}
        </pre>
      )}
    </section>
  );
}
