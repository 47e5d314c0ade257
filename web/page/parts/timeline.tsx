/** The nodes' work over the last minutes: one lane per node, filled where it worked. Gaps are idle time. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { FleetNode } from "../../src/api.ts";
import { percent } from "../model/units.ts";
import { cssOf, useTheme } from "./theme.ts";

const spanMs = 10 * 60_000;
const [laneHeight, labelWidth] = [22, 150];

/** Share of the span in which it worked. */
export function busyShare({ busy }: Pick<FleetNode, "busy">, nowMs: number): number {
  const from = nowMs - spanMs;
  return busy.reduce((sum, [a, b]) => sum + Math.max(0, Math.min(b, nowMs) - Math.max(a, from)), 0) / spanMs;
}

export function Timeline({ nodes, nowMs }: { nodes: readonly FleetNode[]; nowMs: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useTheme();
  const [width, setWidth] = useState(0);
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
    element.height = nodes.length * laneHeight * ratio;
    context.scale(ratio, ratio);
    context.font = "12px system-ui, sans-serif";
    const x = (ms: number) => labelWidth + (1 - (nowMs - ms) / spanMs) * (width - labelWidth);
    for (const [i, node] of nodes.entries()) {
      const y = i * laneHeight;
      context.fillStyle = cssOf("--ink");
      context.fillText(fitting(context, `${node.node} (${node.role})`, labelWidth - 8), 0, y + 15);
      context.fillStyle = cssOf("--line");
      context.fillRect(labelWidth, y + 4, width - labelWidth, laneHeight - 8);
      context.fillStyle = cssOf(node.role === "runner" ? "--a" : "--c");
      for (const [a, b] of node.busy)
        if (b > nowMs - spanMs)
          context.fillRect(Math.max(labelWidth, x(a)), y + 4, Math.max(1, x(b) - Math.max(labelWidth, x(a))), laneHeight - 8);
    }
  }, [nodes, nowMs, theme, width]);
  const words = nodes.map((node) => `${node.node} (${node.role}): ${percent(busyShare(node, nowMs))} busy`);
  return (
    <figure class="chart">
      <canvas
        ref={canvas}
        class="timeline"
        role="img"
        aria-label={`Work of the last ten minutes. ${words.join("; ")}`}
        style={{ height: `${nodes.length * laneHeight}px` }}
      />
      <figcaption>The last ten minutes; gaps are idle time</figcaption>
      <details class="figures">
        <summary>As a table</summary>
        <ul>
          {words.map((word) => (
            <li key={word}>{word}</li>
          ))}
        </ul>
      </details>
    </figure>
  );
}

/** As much of a text as there is room for. */
function fitting(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  let end = text.length - 1;
  while (end > 1 && context.measureText(`${text.slice(0, end)}…`).width > room) end--;
  return `${text.slice(0, end)}…`;
}
