/** Two kernels line by line, in each form that both have. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { RecordDetail } from "../../src/api.ts";
import type { KernelText } from "../kernel/texts.ts";
import { hunks, type Line, lineDiff } from "../model/line-diff.ts";
import { useParam } from "../state/hooks.ts";
import { Choice } from "./basics.tsx";

export interface Source {
  readonly name: string;
  readonly detail: RecordDetail | undefined;
}
type State = { readonly texts?: readonly (readonly KernelText[])[]; readonly error?: string };

const hasCode = ({ detail }: Source): boolean => (detail?.program ?? detail?.ptx) !== undefined;

/** Compares the first of `sources` with one of the others, which the user chooses. */
export function SourceDiff({ sources }: { sources: readonly Source[] }) {
  const [first, ...others] = sources as readonly [Source, Source, ...Source[]];
  const [chosen, setChosen] = useParam("with", "1");
  const at = others[Number(chosen) - 1] === undefined ? 1 : Number(chosen);
  const second = others[at - 1] as Source;
  const missing = [first, second].filter((source) => !hasCode(source));
  return (
    <section>
      <h2>Their code</h2>
      {others.length > 1 && (
        <Choice
          name={`${first.name} and`}
          value={String(at)}
          set={setChosen}
          options={others.map(({ name }, i) => [String(i + 1), name] as const)}
        />
      )}
      {missing.length > 0 ? (
        <p class="soft">
          The program of {missing.map(({ name }) => name).join(" and of ")} is not stored here, so the code cannot be compared.
        </p>
      ) : (
        <Pair key={at} first={first} second={second} />
      )}
    </section>
  );
}

function Pair({ first, second }: { first: Source; second: Source }) {
  const [{ texts, error }, setState] = useState<State>({});
  useEffect(() => {
    let isCurrent = true;
    import("../kernel/texts.ts")
      .then(({ kernelTexts }) =>
        [first, second].map(({ detail }) => kernelTexts({ program: detail?.program, ptx: detail?.ptx }, { isPlain: true })),
      )
      .then(
        (made) => isCurrent && setState({ texts: made }),
        (fault: unknown) => isCurrent && setState({ error: fault instanceof Error ? fault.message : String(fault) }),
      );
    return () => {
      isCurrent = false;
    };
  }, [first.detail, second.detail]);
  if (error !== undefined) return <p class="bad">The kernels cannot be compared: {error}</p>;
  if (texts === undefined) return <p aria-busy="true">Loading the kernels …</p>;
  const [before = [], after = []] = texts;
  const forms = before.flatMap(({ name, text }) => {
    const other = after.find((form) => form.name === name);
    return other === undefined ? [] : [{ name, before: text, after: other.text }];
  });
  return <Forms forms={forms} first={first.name} second={second.name} />;
}

interface FormsProps {
  readonly forms: readonly { readonly name: string; readonly before: string; readonly after: string }[];
  readonly first: string;
  readonly second: string;
}

function Forms({ forms, first, second }: FormsProps) {
  const [chosen, setChosen] = useParam("form", "");
  const form = forms.find(({ name }) => name === chosen) ?? forms[0];
  const lines = useMemo(
    () => (form ? lineDiff(form.before.split("\n"), form.after.split("\n")) : []),
    [form?.before, form?.after],
  );
  if (form === undefined) return <p class="soft">The two have no form in common: one is of other languages than the other.</p>;
  const count = (kind: Line["kind"]) => lines.filter((line) => line.kind === kind).length;
  const [removed, added] = [count("removed"), count("added")];
  return (
    <>
      <Choice name="Form" value={form.name} set={setChosen} options={forms.map(({ name }) => [name, name] as const)} />
      {removed + added === 0 ? (
        <p>Both are the same text of {lines.length} lines.</p>
      ) : (
        <>
          <p class="soft">
            {removed} lines (−) are of {first} alone, {added} (+) of {second} alone, {count("same")} of both.
          </p>
          <DiffText lines={lines} name={`${form.name} of ${first} and ${second}`} />
        </>
      )}
    </>
  );
}

const marks = { same: "  ", removed: "− ", added: "+ " } as const;

function DiffText({ lines, name }: { lines: readonly Line[]; name: string }) {
  const parts = useMemo(() => hunks(lines), [lines]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls takes the focus, for its keys
    <section class="code diff" aria-label={name} tabIndex={0}>
      <pre>
        {parts.map((part, i) =>
          part.kind === "equal" ? (
            <span key={i} class="gap">{`… ${part.count} equal lines …\n`}</span>
          ) : (
            part.lines.map(({ kind, text }, j) => <DiffLine key={`${i}.${j}`} kind={kind} text={text} />)
          ),
        )}
      </pre>
    </section>
  );
}

function DiffLine({ kind, text }: Line) {
  const shown = `${marks[kind]}${text}\n`;
  if (kind === "removed") return <del>{shown}</del>;
  return kind === "added" ? <ins>{shown}</ins> : <span>{shown}</span>;
}
