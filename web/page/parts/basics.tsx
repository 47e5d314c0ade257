import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { RunSummary } from "../../src/api.ts";
import { browserClock, type PageClock } from "../state/clock.ts";
import { type Answer, go } from "../state/hooks.ts";

/** A link within the page; with a modifier key it opens as any link does. */
interface LinkProps {
  readonly to: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly isCurrent?: boolean;
}

export function Link({ to, children, class: name, isCurrent }: LinkProps) {
  return (
    <a
      href={to}
      {...(name === undefined ? {} : { class: name })}
      {...(isCurrent ? { "aria-current": "page" as const } : {})}
      onClick={(event: MouseEvent) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}

/** Shows an answer, or the waiting text or the error in its place. */
export function Answered<T>({
  answer,
  what,
  children,
}: {
  answer: Answer<T>;
  what: string;
  children: (value: T) => ComponentChildren;
}) {
  if (answer.kind === "there") return <>{children(answer.value)}</>;
  if (answer.kind === "error")
    return (
      <section class="notice bad" role="alert">
        <h1>{what} cannot be shown</h1>
        <p>{answer.error.message}</p>
        <button type="button" onClick={answer.again}>
          Try again
        </button>
      </section>
    );
  return <Loading what={what} sinceMs={answer.sinceMs} />;
}

const slowMs = 3_000;

export function Loading({ what, sinceMs, clock = browserClock }: { what: string; sinceMs: number; clock?: PageClock }) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    return clock.after(slowMs - (clock.now() - sinceMs), () => setSlow(true));
  }, [sinceMs]);
  return (
    <section class="notice" aria-busy="true">
      <h1 class="waits">Loading {what.toLowerCase()} …</h1>
      {isSlow && <p>It takes longer than usual; the server may be busy.</p>}
    </section>
  );
}

interface HeadProps {
  readonly columns: readonly ComponentChildren[];
  readonly numbers: readonly string[];
}

export function Head({ columns, numbers }: HeadProps) {
  return (
    <thead>
      <tr>
        {columns.map((column, i) => (
          <th key={i} scope="col" class={numbers.some((name) => name === column) ? "number" : ""}>
            {column}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** `level` 1: the view has no other title. */
export function Empty({ title, level = 2, children }: { title: string; level?: 1 | 2; children?: ComponentChildren }) {
  return (
    <section class="notice">
      {level === 1 ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </section>
  );
}

export function Fact({ name, children, hint }: { name: string; children: ComponentChildren; hint?: string }) {
  return (
    <div class="fact" title={hint}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function RunState({ run: { state, paused } }: { run: Pick<RunSummary, "state" | "paused"> }) {
  const word = paused ? "paused" : state;
  return <span class={`state ${word}`}>{word}</span>;
}

export function Choice<T extends string>({
  name,
  value,
  options,
  set,
}: {
  name: string;
  value: T;
  options: readonly (readonly [T, string])[];
  set: (value: T) => void;
}) {
  return (
    <fieldset class="choice">
      <legend>{name}</legend>
      {options.map(([key, words]) => (
        <label key={key} class={key === value ? "on" : ""}>
          <input type="radio" name={name} value={key} checked={key === value} onChange={() => set(key)} />
          {words}
        </label>
      ))}
    </fieldset>
  );
}

/** Tells screen readers what changed, at most every few seconds. */
export function Announce({ words, clock = browserClock }: { words: string; clock?: PageClock }) {
  const [said, setSaid] = useState(words);
  useEffect(() => {
    return clock.after(2_000, () => setSaid(words));
  }, [words]);
  return (
    <p class="hidden" role="status">
      {said}
    </p>
  );
}

/** A container that scrolls when its content is wider; it can also be scrolled by keys. */
export function Scroll({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls takes the focus, for its keys
    <section class="scroll" aria-label={name} tabIndex={0}>
      {children}
    </section>
  );
}

export function Heads({ of }: { of: readonly (string | readonly [string])[] }) {
  return (
    <thead>
      <tr>
        {of.map((head) => {
          const name = typeof head === "string" ? head : head[0];
          return (
            <th scope="col" key={name} {...(typeof head === "string" ? {} : { class: "number" })}>
              {name}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
