/**
 * Parallel coordinates: one line per trial and one axis per knob; the last axis is time, with the fastest on top. A drag along an
 * axis brushes it, and so do the keys of its two sliders. All lines are drawn once, faintly where there are brushes; the brushed
 * lines are drawn on a second canvas above.
 */
import { timeWords } from "@warpfarm/common/words";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { RunData } from "../model/run-data.ts";
import type { Brush, Coordinates } from "../model/space.ts";
import { Heads, Scroll } from "./basics.tsx";
import { cssOf, useTheme } from "./theme.ts";

const [height, top, bottom, side] = [334, 44, 24, 40];
/** Pixels between axes; names need two rows where axes are closer. */
const roomForName = 90;
const mostRows = 25;
const mostLines = 4_000;

interface Props {
  readonly data: RunData;
  readonly version: number;
  readonly coordinates: Coordinates;
  readonly brushes: readonly Brush[];
  readonly draw: (brushes: readonly Brush[]) => void;
  readonly setBrushes: (brushes: readonly Brush[]) => void;
}

function useCanvases({ data, version, coordinates, brushes }: Omit<Props, "draw" | "setBrushes">) {
  const [base, above] = [useRef<HTMLCanvasElement>(null), useRef<HTMLCanvasElement>(null)];
  const [width, setWidth] = useState(0);
  const theme = useTheme();
  const axes = coordinates.columns.length;
  const x = (axis: number) => side + (axis * (width - 2 * side)) / Math.max(1, axes - 1);
  const y = (at: number) => top + (1 - at) * (height - top - bottom);
  const passing = useMemo(() => coordinates.passing(brushes), [coordinates, brushes]);
  const fastest = useMemo(() => fastestOf(data, mostLines), [data, version]);
  const isBrushed = brushes.length > 0;
  useEffect(() => {
    const element = base.current;
    if (!element) return;
    const seen = new ResizeObserver(() => setWidth(element.clientWidth));
    seen.observe(element);
    return () => seen.disconnect();
  }, []);
  useEffect(() => {
    const context = prepare(base.current, width);
    if (!context) return;
    const colour = isBrushed ? { colour: cssOf("--line"), alpha: 0.6 } : { colour: cssOf("--a"), alpha: 0.35 };
    drawLines(context, coordinates, fastest, { x, y, ...colour });
    drawAxes(context, coordinates, data, { x, y });
  }, [coordinates, fastest, width, theme, isBrushed]);
  useEffect(() => {
    const context = prepare(above.current, width);
    if (!context) return;
    if (isBrushed) drawLines(context, coordinates, passing.subarray(0, mostLines), { x, y, colour: cssOf("--a"), alpha: 0.55 });
    context.fillStyle = cssOf("--b");
    context.globalAlpha = 0.25;
    for (const { axis, from, to } of brushes)
      context.fillRect(x((axis + axes) % axes) - 8, y(to), 16, Math.max(3, y(from) - y(to)));
  }, [coordinates, passing, brushes, width, theme]);

  return { base, above, width, axes, passing };
}

export function Parallel(props: Props) {
  const { data, coordinates, brushes, draw, setBrushes } = props;
  const { base, above, width, axes, passing } = useCanvases(props);
  const drag = useRef<{ readonly axis: number; readonly from: number } | undefined>(undefined);
  const placeOf = (event: PointerEvent): { readonly axis: number; readonly at: number } => {
    const box = (above.current as HTMLCanvasElement).getBoundingClientRect();
    const axis = Math.round(((event.clientX - box.left - side) / Math.max(1, width - 2 * side)) * (axes - 1));
    return {
      axis: Math.max(0, Math.min(axes - 1, axis)),
      at: Math.max(0, Math.min(1, 1 - (event.clientY - box.top - top) / (height - top - bottom))),
    };
  };
  /** The brushes with this one in place of the axis's own. */
  const placed = ({ axis, from, to }: Brush): readonly Brush[] => {
    const own = axis === axes - 1 ? -1 : axis;
    return [...brushes.filter((brush) => brush.axis !== own), ...(to - from > 0.005 ? [{ axis: own, from, to }] : [])];
  };
  const dragged = (event: PointerEvent): Brush | undefined => {
    if (!drag.current) return undefined;
    const { axis, from } = drag.current;
    const { at } = placeOf(event);
    return { axis, from: Math.min(from, at), to: Math.max(from, at) };
  };
  const name = (axis: number) => data.knobs[axis]?.name ?? "time";
  return (
    <figure class="chart">
      <div class="layers" style={{ height: `${height}px` }}>
        <canvas ref={base} style={{ height: `${height}px` }} />
        <canvas
          ref={above}
          style={{ height: `${height}px` }}
          role="img"
          aria-label={`Parallel coordinates of ${data.trialCount} trials over ${axes - 1} knobs and time; ${brushes.length === 0 ? "nothing is brushed" : `${passing.length} trials lie within the brushes`}`}
          onPointerDown={(event) => {
            (event.currentTarget as HTMLCanvasElement).setPointerCapture(event.pointerId);
            const { axis, at } = placeOf(event);
            drag.current = { axis, from: at };
          }}
          onPointerMove={(event) => {
            const brush = dragged(event);
            if (brush) draw(placed(brush));
          }}
          onPointerUp={(event) => {
            const brush = dragged(event);
            drag.current = undefined;
            // A click without a drag removes the axis's brush.
            if (brush) setBrushes(placed(brush));
          }}
          onPointerCancel={() => {
            drag.current = undefined;
            setBrushes(brushes);
          }}
        />
      </div>
      <figcaption>
        {brushes.length === 0
          ? "Drag along an axis to keep a part of it; the fastest are on top of the last axis"
          : `${passing.length.toLocaleString("en")} of ${data.trialCount.toLocaleString("en")} trials lie within the brushes`}
        {data.trialCount > mostLines && `; the ${mostLines.toLocaleString("en")} fastest are drawn`}
      </figcaption>
      <details class="figures">
        <summary>Brushes by keyboard, and the fastest within them as a table</summary>
        <Sliders axes={axes} name={name} coordinates={coordinates} brushes={brushes} put={(brush) => setBrushes(placed(brush))} />
        <Fastest data={data} rows={passing} />
      </details>
    </figure>
  );
}

interface SlidersProps {
  readonly axes: number;
  readonly name: (axis: number) => string;
  readonly coordinates: Coordinates;
  readonly brushes: readonly Brush[];
  readonly put: (brush: Brush) => void;
}

/** Brushes by keyboard: two sliders an axis. */
function Sliders({ axes, name, coordinates, brushes, put }: SlidersProps) {
  const wordsAt = (axis: number, at: number) => {
    const value = coordinates.valueAt(axis, at);
    return typeof value === "number" ? timeWords(value) : value;
  };
  return (
    <div class="sliders">
      {Array.from({ length: axes }, (_, axis) => {
        const own = axis === axes - 1 ? -1 : axis;
        const brush = brushes.find((each) => each.axis === own) ?? { axis, from: 0, to: 1 };
        const steps = own === -1 ? 100 : (coordinates.labels[axis]?.length ?? 1) - 1;
        return (
          <fieldset key={name(axis)}>
            <legend>{name(axis)}</legend>
            {(["from", "to"] as const).map((end) => (
              <label key={end}>
                {end}{" "}
                <input
                  type="range"
                  min={0}
                  max={1}
                  step={1 / Math.max(1, steps)}
                  value={brush[end]}
                  aria-valuetext={wordsAt(own, Math.max(0, Math.min(1, brush[end])))}
                  onInput={(e) => put({ ...brush, axis, [end]: Number((e.currentTarget as HTMLInputElement).value) })}
                />
              </label>
            ))}
          </fieldset>
        );
      })}
    </div>
  );
}

function Fastest({ data, rows }: { data: RunData; rows: Int32Array }) {
  const seconds = (i: number) => data.columns.seconds.at(i);
  const fastest = [...rows]
    .filter((i) => seconds(i) > 0)
    .sort((a, b) => seconds(a) - seconds(b))
    .slice(0, mostRows);
  return (
    <Scroll name="The fastest within the brushes">
      <table>
        <Heads of={[["Time"], ...data.knobs.map((knob) => knob.name)]} />
        <tbody>
          {fastest.map((i) => (
            <tr key={i}>
              <th scope="row" class="number">
                {timeWords(seconds(i))}
              </th>
              {data.knobs.map((knob, k) => (
                <td key={knob.name}>{data.knobText(k, i)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function fastestOf(data: RunData, most: number): Int32Array {
  const seconds = data.columns.seconds.view;
  const timed = data.trials.filter((i) => (seconds[i] as number) > 0);
  if (timed.length > most) timed.sort((a, b) => (seconds[a] as number) - (seconds[b] as number)).length = most;
  return Int32Array.from(timed);
}

function prepare(canvas: HTMLCanvasElement | null, width: number): CanvasRenderingContext2D | undefined {
  const context = canvas?.getContext("2d");
  if (!canvas || !context || width === 0) return undefined;
  canvas.width = width * devicePixelRatio;
  canvas.height = height * devicePixelRatio;
  context.scale(devicePixelRatio, devicePixelRatio);
  context.clearRect(0, 0, width, height);
  return context;
}

interface Drawing {
  readonly x: (axis: number) => number;
  readonly y: (at: number) => number;
}

/** One path for all lines: a stroke per line would take ten times as long. */
function drawLines(
  context: CanvasRenderingContext2D,
  { columns }: Coordinates,
  rows: Int32Array,
  { x, y, colour, alpha }: Drawing & { readonly colour: string; readonly alpha: number },
): void {
  const xs = columns.map((_, axis) => x(axis));
  context.beginPath();
  for (const row of rows) {
    let isBegun = false;
    for (const [axis, column] of columns.entries()) {
      const at = column[row] as number;
      if (Number.isNaN(at)) {
        isBegun = false;
        continue;
      }
      if (isBegun) context.lineTo(xs[axis] as number, y(at));
      else context.moveTo(xs[axis] as number, y(at));
      isBegun = true;
    }
  }
  context.globalAlpha = alpha;
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.stroke();
  context.globalAlpha = 1;
}

function drawAxes(context: CanvasRenderingContext2D, { columns, labels }: Coordinates, data: RunData, { x, y }: Drawing): void {
  context.font = "12px system-ui, sans-serif";
  context.textAlign = "center";
  const apart = columns.length > 1 ? x(1) - x(0) : roomForName;
  const rows = apart < roomForName ? 2 : 1;
  for (const axis of columns.keys()) {
    context.strokeStyle = cssOf("--soft");
    context.beginPath();
    context.moveTo(x(axis), y(0));
    context.lineTo(x(axis), y(1));
    context.stroke();
    context.fillStyle = cssOf("--ink");
    context.fillText(data.knobs[axis]?.name ?? "time", x(axis), rows === 2 && axis % 2 === 0 ? 12 : 25, rows * apart - 8);
    context.fillStyle = cssOf("--soft");
    const names = labels[axis] ?? [];
    context.fillText(names[0] ?? "slow", x(axis), height - 6, apart - 4);
    if (names.length !== 1) context.fillText(names.at(-1) ?? "fast", x(axis), top - 4, apart - 4);
  }
}
