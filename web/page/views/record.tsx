import type { ArtifactManifest } from "@warpfarm/common";
import { timeWords } from "@warpfarm/common/words";
import type { RecordJson } from "@warpfarm/records";
import { useState } from "preact/hooks";
import type { RecordDetail, RecordSummary } from "../../src/api.ts";
import { resourcePairs } from "../model/resources.ts";
import { argsWords, dateWords, outcomeWords } from "../model/units.ts";
import { Answered, Fact, Link } from "../parts/basics.tsx";
import { Dots } from "../parts/dots.tsx";
import { KernelTexts } from "../parts/kernel-texts.tsx";
import { Roofline } from "../parts/roofline.tsx";
import { part } from "../state/api.ts";
import { useAnswer } from "../state/hooks.ts";

export function RecordView({ id }: { id: string }) {
  const answer = useAnswer<RecordDetail>(`/api/records/${part(id)}`);
  return (
    <Answered answer={answer} what="The record">
      {(detail) => <Record detail={detail} record={detail.record} />}
    </Answered>
  );
}

function Record({ detail, record }: { detail: RecordDetail; record: RecordJson }) {
  const { device, config } = record;
  return (
    <>
      <RecordHead record={record} run={detail.run} />
      {record.kind === "failed" && (
        <section class="notice bad">
          <h2>
            {outcomeWords(record.error_no)}
            {record.rule !== undefined && <code> {record.rule}</code>}
          </h2>
          <pre class="message">{record.message}</pre>
        </section>
      )}
      <dl class="facts">
        {record.kind === "slower" && (
          <Fact name="Time">at least {timeWords(record.at_least, 5)}: it ended early, because a faster one was known</Fact>
        )}
        {record.kind === "timed" && <Fact name="Time, median">{timeWords(detail.seconds, 5)}</Fact>}
        {detail.interval && (
          <Fact name="95 % interval">
            {timeWords(detail.interval[0], 5)} to {timeWords(detail.interval[1], 5)}
          </Fact>
        )}
        {detail.standing !== undefined && <Fact name="Standing">{detail.standing}</Fact>}
        <Fact name="Device">{device?.name || device?.key || record.target}</Fact>
        <Fact name="Measured (UTC)">{dateWords(record.timestamp_ms)}</Fact>
        {record.kind === "timed" && (
          <Fact name="Output compared">{record.checked === undefined ? "not known" : record.checked ? "yes, equal" : "no"}</Fact>
        )}
      </dl>
      {record.kind === "timed" && <Dots costs={record.costs} interval={detail.interval} />}
      <section>
        <h2>Do it again</h2>
        <Copyable text={detail.reproduce} />
        {detail.take !== undefined && (
          <>
            <h3>Take the kernel</h3>
            <Copyable text={detail.take} />
          </>
        )}
        <p class="bar">
          <a href={`/api/records/${part(record.id)}`} download="record.json">
            The record as JSON
          </a>
          {detail.codeFile !== undefined && (
            <a href={`/api/records/${part(record.id)}?code`} download={detail.codeFile}>
              The code that was built, {detail.codeFile}
            </a>
          )}
          {detail.codeFile?.endsWith(".cubin") && (
            <span>
              (its SASS: <code>cuobjdump -sass {detail.codeFile}</code>)
            </span>
          )}
        </p>
        <CompareWith id={record.id} />
      </section>
      <div class="columns">
        <Pairs title="Config" pairs={(config?.entity ?? []).map(([name, , value]) => [name, JSON.stringify(value)] as const)} />
        <Pairs title="Conditions" pairs={[...entriesOf({ unusual: detail.conditions }), ...conditionsOf(record)]} />
        <Pairs title="Provenance" pairs={provenanceOf(record)} />
        {detail.manifest && <Pairs title="Resources" pairs={resourcesOf(detail.manifest, device?.key ?? "")} />}
      </div>
      <Roofline detail={detail} />
      <KernelTexts detail={detail} />
      <Others id={record.id} others={detail.others} />
    </>
  );
}

function RecordHead({ record: { task, args, kind }, run }: { record: RecordJson; run: string | undefined }) {
  return (
    <div class="bar">
      <h1>
        {task} <span class="soft args">{argsWords(args)}</span>
      </h1>
      <span class={`state ${kind}`}>{kind}</span>
      <span class="grow" />
      {run !== undefined && <Link to={`/run/${part(run)}/trials`}>All trials of its run</Link>}
    </div>
  );
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
const entriesOf = (object: object | undefined): (readonly [string, string])[] =>
  Object.entries(object ?? {}).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, textOf(value)] as const],
  );

const conditionsOf = ({
  device,
  observations,
  judged,
  options,
  target,
  toolchain,
}: RecordJson): readonly (readonly [string, string])[] => [
  ["target", target],
  ...entriesOf({ key: device?.key, node: device?.node, driver: device?.driver, toolchain }),
  ...entriesOf(observations),
  ...entriesOf(judged),
  ...entriesOf(options),
];

const provenanceOf = ({
  origin,
  search,
  session,
  program,
  artifact,
  attempt,
  id,
  template,
}: RecordJson): readonly (readonly [string, string])[] => [
  ["record", id],
  ...entriesOf({ template, session, program, artifact, attempt }),
  [
    "origin",
    `${origin.kind}${origin.kind === "imported" ? ` from ${origin.format}` : ""}${origin.by === "" ? "" : ` by ${origin.by}`}`,
  ],
  ...entriesOf(search),
];

function resourcesOf(manifest: { readonly [name: string]: unknown }, key: string): readonly (readonly [string, string])[] {
  const known = manifest as unknown as ArtifactManifest;
  const { kernels } = known;
  if (!Array.isArray(kernels)) return [];
  return [
    ...resourcePairs(known, key),
    ...kernels.flatMap((kernel) =>
      Object.entries(kernel)
        .filter(([name]) => name !== "args")
        .map(([name, value]) => [kernels.length > 1 ? `${kernel.name} ${name}` : name, textOf(value)] as const),
    ),
  ];
}

function Pairs({ title, pairs }: { title: string; pairs: readonly (readonly [string, string])[] }) {
  if (pairs.length === 0) return null;
  return (
    <section class="pairs">
      <h2>{title}</h2>
      <dl>
        {pairs.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

export function Copyable({ text }: { text: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <p class="copyable">
      <code>{text}</code>{" "}
      <button type="button" onClick={() => void navigator.clipboard?.writeText(text).then(() => setCopied(true))}>
        {isCopied ? "Copied" : "Copy"}
      </button>
    </p>
  );
}

const keptName = "warpfarm.compare";

/** Keeps the record until another one is shown, whose view then offers to compare the two. */
function CompareWith({ id }: { id: string }) {
  const [kept, setKept] = useState(() => sessionStorage.getItem(keptName));
  return (
    <p class="bar">
      <button
        type="button"
        aria-pressed={kept === id}
        onClick={() => {
          sessionStorage.setItem(keptName, id);
          setKept(id);
        }}
      >
        Keep to compare
      </button>
      {kept === id ? (
        <span role="status">Kept: open another record to compare it with this one.</span>
      ) : (
        kept !== null && <Link to={compareAddress(kept, id)}>Compare with the record kept</Link>
      )}
    </p>
  );
}

const compareAddress = (...ids: readonly string[]): string => `/compare?records=${ids.map(encodeURIComponent).join(",")}`;

function Others({ id, others }: { id: string; others: readonly RecordSummary[] }) {
  if (others.length === 0) return <p class="soft">The same kernel was measured only once.</p>;
  return (
    <section>
      <h2>Other measurements of the same kernel</h2>
      <ul>
        {others.map((other) => (
          <li key={other.id}>
            <Link to={`/record/${part(other.id)}`}>
              {other.seconds === undefined ? outcomeWords(other.errorNo) : timeWords(other.seconds)}
            </Link>{" "}
            on {other.deviceName || other.device}, {dateWords(other.timestampMs)} (
            <Link to={compareAddress(id, other.id)}>compare</Link>)
          </li>
        ))}
      </ul>
    </section>
  );
}
