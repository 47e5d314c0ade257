import { countWords, spanWords } from "@warpfarm/common/words";
import { groupBy } from "@warpfarm/records/group-by";
import { useState } from "preact/hooks";
import type { Fleet, FleetDevice, FleetNode, Me } from "../../src/api.ts";
import { bytesWords, dateWords } from "../model/units.ts";
import { Answered, Empty, Scroll } from "../parts/basics.tsx";
import { Timeline } from "../parts/timeline.tsx";
import { part, post } from "../state/api.ts";
import { useAnswer, useLive, useServerTime } from "../state/hooks.ts";

export function FleetView({ me }: { me: Me }) {
  const { fleet } = useLive();
  const answer = useAnswer<Fleet>(fleet ? undefined : "/api/fleet");
  return (
    <>
      <h1>Fleet</h1>
      {fleet ? (
        <Nodes fleet={fleet} me={me} />
      ) : (
        <Answered answer={answer} what="The fleet">
          {(asked) => <Nodes fleet={asked} me={me} />}
        </Answered>
      )}
    </>
  );
}

function Nodes({ fleet, me }: { fleet: Fleet; me: Me }) {
  const nowMs = useServerTime(fleet.atMs);
  if (fleet.nodes.length === 0)
    return (
      <Empty title="No node is registered">
        <p>
          Start one: <code>warpfarm runner --tracker HOST:9290 --device cuda:0</code>
        </p>
      </Empty>
    );
  const devices = fleet.nodes.flatMap((node) => node.devices);
  const busy = devices.filter((device) => device.busy).length;
  return (
    <>
      <p>
        {countWords(fleet.nodes.length, "node")}, {countWords(devices.length, "device")}, {busy} busy now
      </p>
      <Timeline fleet={fleet} />
      <Scroll name="Nodes">
        <table class="wide">
          <thead>
            <tr>
              <th scope="col">Node</th>
              <th scope="col">Role</th>
              <th scope="col">State</th>
              <th scope="col">Devices</th>
              <th scope="col">Labels</th>
              <th scope="col">Seen</th>
              {me.role === "admin" && <th scope="col">Work</th>}
            </tr>
          </thead>
          {groupsOf(fleet.nodes).map(([name, nodes]) => (
            <tbody key={name}>
              <tr class="group">
                <th scope="rowgroup" colSpan={me.role === "admin" ? 7 : 6}>
                  {name} <span class="soft">{groupWords(nodes)}</span>
                </th>
              </tr>
              {nodes.map((node) => (
                <NodeRow
                  key={`${node.role} ${node.node} ${node.devices[0]?.key ?? ""}`}
                  node={node}
                  nowMs={nowMs}
                  isAdmin={me.role === "admin"}
                />
              ))}
            </tbody>
          ))}
        </table>
      </Scroll>
    </>
  );
}

/** The group's name is the key of all devices of a node, except for a node with several. */
const isMixed = ({ devices }: FleetNode): boolean => devices.some(({ key }) => key !== devices[0]?.key);

function groupsOf(nodes: readonly FleetNode[]): readonly (readonly [string, readonly FleetNode[]])[] {
  const keysOf = ({ devices }: FleetNode) => [...new Set(devices.map(({ key }) => key))].sort().join(", ");
  const groups = groupBy(nodes, (node) => (node.role === "builder" ? builders : keysOf(node)));
  return [...groups].sort(([a], [b]) => Number(a === builders) - Number(b === builders) || a.localeCompare(b));
}
const builders = "Builders";

function groupWords(nodes: readonly FleetNode[]): string {
  const devices = nodes.flatMap((node) => node.devices);
  const busy = devices.filter((device) => device.busy).length;
  return devices.length === 0 ? countWords(nodes.length, "node") : `${countWords(devices.length, "device")}, ${busy} busy`;
}

function NodeRow({ node, nowMs, isAdmin }: { node: FleetNode; nowMs: number; isAdmin: boolean }) {
  return (
    <tr>
      <th scope="row">{node.node}</th>
      <td>{node.role}</td>
      <td>
        <span class={`state ${node.state.toLowerCase()}`}>{node.state.toLowerCase()}</span>
        {node.reason !== undefined && <div class="soft">{node.reason.what}</div>}
        {node.reason?.detail !== undefined && <div class="soft">{node.reason.detail}</div>}
      </td>
      <td class="devices">
        {node.role === "builder"
          ? `${node.leases} of ${node.slots} slots busy`
          : node.devices.map((device, i) => (
              <div key={i}>
                {node.devices.length > 1 && `device ${i}: `}
                {isMixed(node) && `${device.key} `}
                {device.name}, {bytesWords(device.memoryBytes)}: <b>{device.busy ? (device.doing ?? "busy") : "idle"}</b>
                {device.clockMhz !== undefined && `, ${device.clockMhz} MHz`}
                {device.temperatureC !== undefined && `, ${device.temperatureC} °C`}
                <Drift drift={device.drift} />
              </div>
            ))}
      </td>
      <td>
        {Object.entries(node.labels)
          .map(([name, value]) => `${name}=${value}`)
          .join(", ")}
      </td>
      <td>{spanWords(Math.max(0, nowMs - node.lastSeenMs))} ago</td>
      {isAdmin && (
        <td>
          <DrainButton node={node} />
        </td>
      )}
    </tr>
  );
}

const [lineWidth, lineHeight] = [96, 18];

function Drift({ drift }: Pick<FleetDevice, "drift">) {
  const now = drift.at(-1)?.[1];
  const first = drift[0]?.[0];
  if (now === undefined || first === undefined) return null;
  const ratios = drift.map(([, ratio]) => ratio);
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)];
  const spanMs = (drift.at(-1)?.[0] ?? first) - first;
  const words = `reference kernels take ${now.toFixed(3)}x their best (${low.toFixed(3)} to ${high.toFixed(3)} in ${countWords(drift.length, "check")} of ${spanWords(spanMs)})`;
  const at = ([ms, ratio]: readonly [number, number]) =>
    `${((ms - first) / Math.max(spanMs, 1)) * (lineWidth - 2) + 1},${lineHeight - 1 - ((ratio - low) / Math.max(high - low, 0.01)) * (lineHeight - 2)}`;
  return (
    <details class="drift soft">
      <summary>
        {words}{" "}
        {drift.length > 1 && (
          <svg class="line" width={lineWidth} height={lineHeight} aria-hidden="true">
            <polyline points={drift.map(at).join(" ")} />
          </svg>
        )}
      </summary>
      <table>
        <thead>
          <tr>
            <th scope="col">At (UTC)</th>
            <th scope="col" class="number">
              Over the best
            </th>
          </tr>
        </thead>
        <tbody>
          {drift.map(([ms, ratio]) => (
            <tr key={ms}>
              <td>{dateWords(ms)}</td>
              <td class="number">{ratio.toFixed(3)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function DrainButton({ node }: { node: FleetNode }) {
  const [error, setError] = useState("");
  const isDrained = node.state === "DRAIN";
  return (
    <>
      <button
        type="button"
        onClick={() =>
          post(`/api/nodes/${part(node.node)}/drain`, { undo: isDrained }).then(
            () => setError(""),
            (failed: Error) => setError(failed.message),
          )
        }
      >
        {isDrained ? "Give work again" : "Drain"}
      </button>
      {error !== "" && <span role="alert">{error}</span>}
    </>
  );
}
