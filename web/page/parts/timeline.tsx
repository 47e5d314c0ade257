/** The work of the last minutes: one lane for each device and builder, filled where it worked. */
import { spanWords } from "@warpfarm/common/words";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Fleet, FleetNode, Work } from "../../src/api.ts";
import { percent } from "../model/units.ts";
import { cssOf, useTheme } from "./theme.ts";

const spanMs = 10 * 60_000;
const betweenLooksMs = 5_000;
const [laneHeight, labelWidth] = [22, 150];

interface Lane {
  readonly name: string;
  readonly role: FleetNode["role"];
  readonly work: Work;
}

/** The device of a node with one device needs no number. */
const lanesOf = (nodes: readonly FleetNode[]): readonly Lane[] =>
  nodes.flatMap(({ node, role, work, devices }): readonly Lane[] =>
    role === "builder"
      ? [{ name: `${node} (builder)`, role, work }]
      : devices.map((device, i) => ({
          name: devices.length === 1 ? `${node} (runner)` : `${node} device ${i}`,
          role,
          work: device.work,
        })),
  );

function busyShare(work: Work, sinceMs: number, nowMs: number): number {
  const known = nowMs - sinceMs;
  if (known <= 0) return 0;
  return work.reduce((sum, [a, b]) => sum + Math.max(0, Math.min(b, nowMs) - Math.max(a, sinceMs)), 0) / known;
}

/** How long it has been idle; readings are seconds apart. */
function idleWords(work: Work, sinceMs: number, nowMs: number): string {
  const last = work.at(-1)?.[1];
  if (last === undefined) return `${spanWords(nowMs - sinceMs)}, or longer`;
  return nowMs - last < betweenLooksMs ? "" : spanWords(nowMs - last);
}

export function Timeline({ fleet: { nodes, sinceMs, atMs: nowMs } }: { fleet: Fleet }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useTheme();
  const [width, setWidth] = useState(0);
  const lanes = useMemo(() => lanesOf(nodes), [nodes]);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const watch = new ResizeObserver(() => setWidth(element.clientWidth));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !context) return;
    const ratio = devicePixelRatio;
    element.width = width * ratio;
    element.height = lanes.length * laneHeight * ratio;
    context.scale(ratio, ratio);
    context.font = "12px system-ui, sans-serif";
    const x = (ms: number) => labelWidth + (1 - (nowMs - ms) / spanMs) * (width - labelWidth);
    const begin = Math.max(labelWidth, x(sinceMs));
    for (const [i, { name, role, work }] of lanes.entries()) {
      const y = i * laneHeight;
      context.fillStyle = cssOf("--ink");
      context.fillText(fitting(context, name, labelWidth - 8), 0, y + 15);
      context.fillStyle = cssOf("--line");
      context.fillRect(begin, y + 4, width - begin, laneHeight - 8);
      context.fillStyle = cssOf(role === "runner" ? "--a" : "--c");
      for (const [a, b] of work)
        if (x(b) >= begin)
          context.fillRect(Math.max(begin, x(a)), y + 4, Math.max(1, x(b) - Math.max(begin, x(a))), laneHeight - 8);
    }
  }, [lanes, sinceMs, nowMs, theme, width]);
  const words = lanes.map(({ name, work }) => `${name}: ${percent(busyShare(work, sinceMs, nowMs))} busy`);
  const isWhole = nowMs - sinceMs >= spanMs - 5_000;
  return (
    <figure class="chart">
      <canvas
        ref={canvas}
        class="timeline"
        role="img"
        aria-label={`Work of the last ten minutes. ${words.join("; ")}`}
        style={{ height: `${lanes.length * laneHeight}px` }}
      />
      <figcaption>
        The last ten minutes; gaps are idle time{!isWhole && `; ${spanWords(nowMs - sinceMs)} are known so far`}
      </figcaption>
      <details class="figures">
        <summary>As a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Device or builder</th>
              <th scope="col" class="number">
                Busy
              </th>
              <th scope="col">Idle for</th>
            </tr>
          </thead>
          <tbody>
            {lanes.map(({ name, work }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class="number">{percent(busyShare(work, sinceMs, nowMs))}</td>
                <td>{idleWords(work, sinceMs, nowMs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

function fitting(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  let end = text.length - 1;
  while (end > 1 && context.measureText(`${text.slice(0, end)}…`).width > room) end--;
  return `${text.slice(0, end)}…`;
}
