/** Actions on the session of a run: pause, resume, more trials, end. Each asks for confirmation. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { RunDetail } from "../../src/api.ts";
import { part, post } from "../state/api.ts";

export function Controls({ run, again }: { run: RunDetail; again: () => void }) {
  const [trials, setTrials] = useState("100");
  const act = (what: string, body: object = {}) => post(`/api/runs/${part(run.id)}/${what}`, body).then(again);
  const notMine = run.mine ? undefined : "Only its owner and admins change a session.";
  const more = Number(trials);
  const isNumber = /^[1-9]\d{0,6}$/.test(trials) && more <= 1_000_000;
  return (
    <div class="controls">
      <Action
        name={run.paused ? "Resume session" : "Pause session"}
        refused={notMine}
        question={
          run.paused ? undefined : "Pause the session? Running jobs end; nothing more is built or measured until it is resumed."
        }
        yes="Pause it"
        act={() => act("pause", { undo: run.paused === true })}
      />
      <Action
        name="Add trials"
        refused={
          notMine ??
          (run.takesTrials === false
            ? "Its client cannot take more trials: it does not search, has not come back since its start, or is an older version."
            : undefined)
        }
        question={
          <label>
            How many more trials?{" "}
            <input
              type="number"
              class="short"
              min={1}
              max={1_000_000}
              value={trials}
              onInput={(event) => setTrials((event.currentTarget as HTMLInputElement).value)}
            />
          </label>
        }
        yes={isNumber ? `Add ${more.toLocaleString("en")}` : "Add"}
        canAct={isNumber}
        act={() => act("extend", { trials: more })}
      />
      <Action
        name="Stop session"
        isGrave
        refused={notMine}
        question="Stop the session? Its client is told, and its results stay."
        yes="Stop it"
        act={() => act("stop")}
      />
    </div>
  );
}

interface ActionProps {
  readonly name: string;
  readonly refused: string | undefined;
  /** Absent: it is done at once. */
  readonly question: ComponentChildren | undefined;
  readonly yes?: string;
  readonly canAct?: boolean;
  readonly isGrave?: boolean;
  readonly act: () => Promise<unknown>;
}

type State = { readonly kind: "rest" | "asks" | "busy" } | { readonly kind: "failed"; readonly why: string };

function Action({ name, refused, question, yes = name, canAct = true, isGrave = false, act }: ActionProps) {
  const [state, setState] = useState<State>({ kind: "rest" });
  const why = useId();
  const place = useRef<HTMLSpanElement>(null);
  const hasAsked = useRef(false);
  // Keyboard focus returns to the button that opened the question.
  useEffect(() => {
    if (state.kind === "asks") hasAsked.current = true;
    else if (state.kind === "busy" || !hasAsked.current) return;
    else hasAsked.current = false;
    place.current?.querySelector<HTMLElement>("input, button")?.focus();
  }, [state.kind]);
  const go = () => {
    setState({ kind: "busy" });
    act().then(
      () => setState({ kind: "rest" }),
      (error: Error) => setState({ kind: "failed", why: error.message }),
    );
  };
  if (state.kind === "asks")
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: Escape leaves the question, as its button does
      <span
        ref={place}
        class="ask"
        onKeyDown={(event) => {
          if (event.key === "Escape") setState({ kind: "rest" });
          if (event.key === "Enter" && event.target instanceof HTMLInputElement && canAct) go();
        }}
      >
        <span role="alert">{question}</span>{" "}
        <button type="button" class={isGrave ? "danger" : ""} disabled={!canAct} onClick={go}>
          {yes}
        </button>{" "}
        <button type="button" onClick={() => setState({ kind: "rest" })}>
          Leave it
        </button>
      </span>
    );
  const reason = refused ?? (state.kind === "failed" ? state.why : undefined);
  return (
    <span ref={place}>
      <button
        type="button"
        disabled={state.kind === "busy"}
        // The button can still be focused, and explains the refusal when it is pressed.
        aria-disabled={refused !== undefined}
        title={refused}
        aria-describedby={reason === undefined ? undefined : why}
        onClick={() => {
          if (refused !== undefined) setState({ kind: "failed", why: refused });
          else if (question === undefined) go();
          else setState({ kind: "asks" });
        }}
      >
        {name}
      </button>
      {reason !== undefined && (
        <span id={why} class={state.kind === "failed" ? "bad" : "hidden"} role={state.kind === "failed" ? "alert" : undefined}>
          {" "}
          {reason}
        </span>
      )}
    </span>
  );
}
