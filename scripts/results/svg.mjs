/** Plots as SVG text, in light and in dark. Sizes are in pixels of a page 720 wide; an image in a page scales with it. */
const style = `
  text { font: 12px system-ui, sans-serif; fill: var(--ink) }
  .title { font-weight: 600; font-size: 14px } .value { paint-order: stroke; stroke: var(--paper); stroke-width: 4px } .small, .value { font-size: 11px; fill: var(--soft) }
  .axis { stroke: var(--line) } .mark { stroke: var(--ink); stroke-dasharray: 4 3 }
  svg { --ink: #1f2933; --soft: #5b6770; --line: #d9dee3; --paper: #fff; --a: #0b7285; --b: #e8590c; --c: #7048e8; --d: #868e96; --e: #2b8a3e }
  @media (prefers-color-scheme: dark) { svg { --ink: #e6edf3; --soft: #9aa7b2; --line: #30363d; --paper: #0d1117; --a: #3bc9db; --b: #ffa94d; --c: #b197fc; --d: #adb5bd; --e: #69db7c } }
`;
const colours = ["var(--a)", "var(--b)", "var(--c)", "var(--d)", "var(--e)"];
export const width = 720;

export const escaped = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
export const at = (x) => Number(x.toFixed(1));
export const text = (x, y, words, { anchor = "start", kind = "" } = {}) =>
  `<text x="${at(x)}" y="${at(y)}" text-anchor="${anchor}"${kind ? ` class="${kind}"` : ""}>${escaped(words)}</text>`;
const line = (x1, y1, x2, y2, kind) => `<line x1="${at(x1)}" y1="${at(y1)}" x2="${at(x2)}" y2="${at(y2)}" class="${kind}"/>`;

export function picture(height, title, summary, parts) {
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(`${title}. ${summary}`)}">`;
  const paper = `<rect width="${width}" height="${height}" fill="var(--paper)"/>`;
  return `${[head, `<style>${style}</style>`, paper, text(16, 24, title, { kind: "title" }), ...parts, "</svg>"].join("\n")}\n`;
}

/** Where a value lies between two pixels. */
const linear = (low, high, from, to) => (value) => from + ((value - low) / (high - low)) * (to - from);
const logarithmic = (low, high, from, to) => {
  const scale = linear(Math.log(low), Math.log(high), from, to);
  return (value) => scale(Math.log(value));
};

/**
 * `bars`: { name, value, shown, colour? }, one below the other. `mark`: a value with a line and words. A logarithmic axis begins
 * its bars at the mark.
 * @param {{ title: string, summary: string, unit: string, bars: any[], ticks: number[], mark?: { value: number, words: string },
 * log?: boolean }} plot
 */
export function barPlot({ title, summary, unit, bars, ticks, mark, log = false }) {
  const [left, right, top, step] = [280, width - 70, 52, 26];
  const height = top + bars.length * step + 40;
  const bottom = height - 36;
  const values = [...ticks, ...bars.map(({ value }) => value)];
  const [low, high] = [Math.min(...values, log ? Number.POSITIVE_INFINITY : 0), Math.max(...values)];
  const x = log ? logarithmic(low, high, left, right) : linear(low, high, left, right);
  const base = x(log && mark ? mark.value : Math.max(0, low));
  const parts = ticks.flatMap((tick) => [
    line(x(tick), top - 8, x(tick), bottom, "axis"),
    text(x(tick), bottom + 16, tick, { anchor: "middle", kind: "small" }),
  ]);
  if (mark) parts.push(line(x(mark.value), top - 8, x(mark.value), bottom, "mark"));
  for (const [i, { name, value, shown, colour = 0 }] of bars.entries()) {
    const y = top + i * step;
    const [from, to] = [Math.min(base, x(value)), Math.max(base, x(value))];
    parts.push(text(left - 10, y + 13, name, { anchor: "end" }));
    parts.push(
      `<rect x="${at(from)}" y="${y}" width="${at(Math.max(1, to - from))}" height="17" rx="2" fill="${colours[colour]}"/>`,
    );
    parts.push(text(to + 6, y + 13, shown, { kind: "value" }));
  }
  parts.push(text(right, 24, mark ? `${unit}; ${mark.words}` : unit, { anchor: "end", kind: "small" }));
  return picture(height, title, summary, parts);
}

/** `lines`: { name, points: [x, y][], dashed? }. The x axis is logarithmic. */
export function linePlot({ title, summary, xUnit, yUnit, lines, xTicks, yTicks, logY = false }) {
  const [left, right, top, bottom, height] = [64, width - 150, 48, 290, 330];
  const xs = lines.flatMap(({ points }) => points.map(([px]) => px));
  const x = logarithmic(Math.min(...xs), Math.max(...xs), left, right);
  const y = (logY ? logarithmic : linear)(Math.min(...yTicks), Math.max(...yTicks), bottom, top);
  const parts = [
    ...yTicks.flatMap((tick) => [
      line(left, y(tick), right, y(tick), "axis"),
      text(left - 8, y(tick) + 4, tick.toLocaleString("en"), { anchor: "end", kind: "small" }),
    ]),
    ...xTicks.map((tick) => text(x(tick), bottom + 18, tick.toLocaleString("en"), { anchor: "middle", kind: "small" })),
    text((left + right) / 2, bottom + 36, xUnit, { anchor: "middle", kind: "small" }),
    text(width - 16, 24, yUnit, { anchor: "end", kind: "small" }),
  ];
  const labels = lines.map(({ name, points }, i) => ({ name, i, y: y(points.at(-1)[1]) })).sort((a, b) => a.y - b.y);
  for (const [i, label] of labels.entries()) if (i > 0) label.y = Math.max(label.y, labels[i - 1].y + 15);
  for (const [i, { points, dashed }] of lines.entries()) {
    const path = points.map(([px, py], k) => `${k === 0 ? "M" : "L"}${at(x(px))} ${at(y(py))}`).join(" ");
    const colour = colours[i % colours.length];
    parts.push(`<path d="${path}" fill="none" stroke="${colour}" stroke-width="2"${dashed ? ' stroke-dasharray="5 4"' : ""}/>`);
    for (const [px, py] of points) parts.push(`<circle cx="${at(x(px))}" cy="${at(y(py))}" r="3" fill="${colour}"/>`);
  }
  for (const label of labels)
    parts.push(
      `<text x="${right + 10}" y="${at(label.y + 4)}" style="fill: ${colours[label.i % colours.length]}">${escaped(label.name)}</text>`,
    );
  return picture(height, title, summary, parts);
}
