/**
 * A chart by uPlot. For users who do not see the canvas it has a name, a summary in words, and its figures as a table. The zoom
 * is in the address, so it stays when new data come and when another look is chosen; a double click, or the button, shows all.
 * Those without a mouse set it in two fields.
 */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useParam } from "../state/hooks.ts";
import { Scroll } from "./basics.tsx";
import { cssOf, useTheme } from "./theme.ts";

export interface Series {
  readonly label: string;
  readonly colour: string;
  /** `mark`: few points, large. */
  readonly kind: "line" | "step" | "points" | "mark" | "dashed";
  readonly values: ArrayLike<number | null>;
  readonly show?: (value: number) => string;
  /** Whether the y axis is made for the other series; points beyond it are cut. */
  readonly isCut?: boolean;
}

export interface ChartProps {
  readonly name: string;
  readonly summary: string;
  readonly x: Float64Array;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly series: readonly Series[];
  readonly bands?: readonly (readonly [number, number])[];
  readonly logX?: boolean;
  readonly logY?: boolean;
  readonly showX?: (value: number) => string;
  readonly showY: (value: number) => string;
  readonly height?: number;
  readonly ySize?: number;
  readonly xUnit?: string;
  /** Whether X is a count: no marks between whole numbers. */
  readonly isWholeX?: boolean;
  readonly zoomName?: string;
  readonly onPick?: (index: number) => void;
}

function seriesOptions({ label, colour, kind, show, isCut = false }: Series, showY: (value: number) => string): uPlot.Series {
  const stroke = cssOf(colour);
  const isPoints = kind === "points" || kind === "mark";
  return {
    label,
    stroke,
    width: isPoints ? 0 : 1.5,
    ...(kind === "dashed" ? { dash: [6, 4] } : {}),
    ...(kind === "step" ? { paths: uPlot.paths.stepped?.({ align: 1 }) as uPlot.Series.PathBuilder } : {}),
    ...(isPoints ? { paths: () => null } : {}),
    points: { show: isPoints, size: kind === "mark" ? 10 : 4, fill: stroke, stroke },
    auto: !isCut,
    spanGaps: !isPoints,
    value: (_, value) => (value === null || value === undefined ? "" : (show ?? showY)(value)),
  };
}

interface Zoom {
  readonly min: number;
  readonly max: number;
}

function zoomOf(text: string): Zoom | undefined {
  const [min = Number.NaN, max = Number.NaN] = text.split("~").map(Number);
  return min < max && Number.isFinite(max - min) ? { min, max } : undefined;
}

const wholeSteps = Array.from({ length: 16 }, (_, i) => 10 ** i).flatMap((ten) => [ten, 2 * ten, 5 * ten]);

function optionsOf(p: ChartProps, width: number, onZoom: (zoom: Zoom) => void): uPlot.Options {
  const [ink, line] = [cssOf("--soft"), cssOf("--line")];
  const axis = {
    stroke: ink,
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1 },
    font: "12px system-ui, sans-serif",
  };
  return {
    width,
    height: p.height ?? 320,
    scales: { x: { time: false, ...(p.logX ? { distr: 3 } : {}) }, y: p.logY ? { distr: 3 } : {} },
    axes: [
      {
        ...axis,
        label: p.xLabel,
        labelFont: axis.font,
        labelSize: 18,
        ...(p.isWholeX && !p.logX ? { incrs: wholeSteps } : {}),
        ...(p.showX ? { values: (_, at) => at.map((v) => (v === null ? "" : (p.showX as (v: number) => string)(v))) } : {}),
      },
      {
        ...axis,
        label: p.yLabel,
        labelFont: axis.font,
        labelSize: 18,
        size: p.ySize ?? 76,
        values: (_, at) => at.map((v) => (v === null ? "" : p.showY(v))),
      },
    ],
    series: [
      { label: p.xLabel, value: (_, v) => (v === null ? "" : (p.showX?.(v) ?? String(v))) },
      ...p.series.map((s) => seriesOptions(s, p.showY)),
    ],
    ...(p.bands ? { bands: p.bands.map((of) => ({ series: [...of] as [number, number], fill: cssOf("--band") })) } : {}),
    cursor: { focus: { prox: 24 }, drag: { x: true, y: false } },
    legend: { live: true },
    hooks: {
      setSelect: [
        ({ select: { left, width: wide }, posToVal }) =>
          wide > 0 && onZoom({ min: posToVal(left, "x"), max: posToVal(left + wide, "x") }),
      ],
    },
  };
}

const dataOf = (p: ChartProps): uPlot.AlignedData =>
  [p.x, ...p.series.map(({ values }) => values)] as unknown as uPlot.AlignedData;

/** The plot in its box. */
function usePlot(props: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const [zoomText, setZoomText] = useParam(props.zoomName ?? "zoom", "");
  const zoom = useMemo(() => zoomOf(zoomText), [zoomText]);
  const setZoom = (to: Zoom | undefined) =>
    setZoomText(to === undefined ? "" : `${Number(to.min.toPrecision(6))}~${Number(to.max.toPrecision(6))}`);
  const theme = useTheme();
  // Everything that determines a plot except its figures.
  const shape = JSON.stringify([
    props.series.map(({ label, kind, colour }) => [label, kind, colour]),
    props.logX,
    props.logY,
    props.xLabel,
    props.yLabel,
    props.height,
    theme,
  ]);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const made = new uPlot(
      optionsOf(latest.current, Math.max(240, element.clientWidth), setZoom),
      dataOf(latest.current),
      element,
    );
    plot.current = made;
    made.over.addEventListener("click", () => {
      const index = made.cursor.idx;
      if (index !== null && index !== undefined && made.select.width === 0) latest.current.onPick?.(index);
    });
    made.over.addEventListener("dblclick", () => setZoom(undefined));
    const resized = new ResizeObserver(() =>
      made.setSize({ width: Math.max(240, element.clientWidth), height: latest.current.height ?? 320 }),
    );
    resized.observe(element);
    return () => {
      resized.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [shape]);
  useEffect(() => {
    const u = plot.current;
    if (!u) return;
    if (zoom === undefined) return u.setData(dataOf(props));
    u.batch(() => {
      u.setData(dataOf(props), false);
      u.setScale("x", zoom);
    });
  });
  return { box, zoom, setZoom };
}

export function Chart(props: ChartProps) {
  const { box, zoom, setZoom } = usePlot(props);
  return (
    <figure class="chart" aria-label={props.name}>
      <div ref={box} class="plot" role="img" aria-label={`${props.name}. ${props.summary}`} />
      <figcaption>
        <span>{props.summary}</span>
        {zoom && (
          <button type="button" onClick={() => setZoom(undefined)}>
            Show all
          </button>
        )}
      </figcaption>
      <ZoomFields
        x={props.x}
        xLabel={`${props.xLabel}${props.xUnit === undefined ? "" : `, ${props.xUnit},`}`}
        zoom={zoom}
        setZoom={setZoom}
      />
      <FiguresTable
        x={props.x}
        columns={props.series}
        xLabel={props.xLabel}
        showX={props.showX}
        showY={props.showY}
        name={props.name}
      />
    </figure>
  );
}

interface ZoomProps {
  readonly x: Float64Array;
  readonly xLabel: string;
  readonly zoom: Zoom | undefined;
  readonly setZoom: (to: Zoom | undefined) => void;
}

/** The zoom by keyboard. An empty field stands for the end of the figures. */
function ZoomFields({ x, xLabel, zoom, setZoom }: ZoomProps) {
  const ends = { min: x[0] ?? 0, max: x.at(-1) ?? 0 };
  const set = (end: keyof Zoom, text: string) => {
    const to = { ...ends, ...zoom, [end]: text === "" ? ends[end] : Number(text) };
    const isAll = to.min <= ends.min && to.max >= ends.max;
    if (to.min < to.max) setZoom(isAll ? undefined : to);
  };
  return (
    <details class="figures">
      <summary>Zoom by keyboard</summary>
      <p class="bar">
        {(["min", "max"] as const).map((end) => (
          <label key={end}>
            {xLabel} {end === "min" ? "from" : "to"}{" "}
            <input
              type="number"
              step="any"
              class="short"
              value={zoom?.[end] ?? ""}
              placeholder={String(Number(ends[end].toPrecision(4)))}
              onChange={(event) => set(end, (event.currentTarget as HTMLInputElement).value)}
            />
          </label>
        ))}
      </p>
    </details>
  );
}

interface FiguresProps {
  readonly name: string;
  readonly x: Float64Array;
  readonly xLabel: string;
  readonly columns: readonly Series[];
  readonly showX: ((value: number) => string) | undefined;
  readonly showY: (value: number) => string;
}
const rowsAPage = 25;

export function FiguresTable({ name, x, xLabel, columns, showX, showY }: FiguresProps) {
  const [isOpen, setOpen] = useState(false);
  const [page, setPage] = useState(0);
  const pages = Math.max(1, Math.ceil(x.length / rowsAPage));
  const now = Math.min(page, pages - 1);
  const rows = useMemo(
    () => (isOpen ? Array.from({ length: Math.min(rowsAPage, x.length - now * rowsAPage) }, (_, i) => now * rowsAPage + i) : []),
    [isOpen, now, x],
  );
  return (
    <details class="figures" onToggle={(event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
      <summary>As a table</summary>
      {isOpen && (
        <>
          <Scroll name={`${name}, as a table`}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{xLabel}</th>
                  {columns.map(({ label }) => (
                    <th scope="col" key={label}>
                      {label}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map((i) => (
                  <tr key={i}>
                    <th scope="row">{showX?.(x[i] as number) ?? x[i]}</th>
                    {columns.map(({ label, values, show }) => (
                      <td key={label}>{typeof values[i] === "number" ? (show ?? showY)(values[i] as number) : ""}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
          {pages > 1 && (
            <p class="pages">
              <button type="button" disabled={now === 0} onClick={() => setPage(now - 1)}>
                Before
              </button>
              <span>
                page {now + 1} of {pages}
              </span>
              <button type="button" disabled={now === pages - 1} onClick={() => setPage(now + 1)}>
                Next
              </button>
            </p>
          )}
        </>
      )}
    </details>
  );
}
