/** Boxes and arrows as SVG, in light and in dark. */
import { at, picture, text, width } from "../results/svg.mjs";
import { layersOf, reduced } from "./layers.mjs";

const [boxHeight, gap, layerStep, top] = [56, 12, 92, 58];

export const box = (x, y, w, h, { name, says }, kind = "box") =>
  [
    `<rect x="${at(x)}" y="${at(y)}" width="${at(w)}" height="${h}" rx="6" class="${kind}"/>`,
    text(x + w / 2, y + 21, name, { anchor: "middle", kind: "name" }),
    ...linesOf(says, Math.floor(w / 6.2)).map((words, i) =>
      text(x + w / 2, y + 36 + i * 12, words, { anchor: "middle", kind: "small" }),
    ),
  ].join("\n");

/** At most two lines of that many characters. */
function linesOf(words, most) {
  if (words.length <= most) return [words];
  const cut = words.lastIndexOf(" ", most);
  return [words.slice(0, cut), words.slice(cut + 1)];
}

export const style = `<style>
  .box { fill: var(--paper); stroke: var(--a) } .store { fill: var(--paper); stroke: var(--c) } .name { font-weight: 600 }
  .arrow { fill: none; stroke: var(--soft); marker-end: url(#end) } .both { marker-start: url(#end) }
  #end path { fill: var(--soft) }
</style>
<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0 8 4 0 8z"/></marker></defs>`;

/** Boxes in layers. An arrow goes from a part to one that it imports. */
export function packagePicture(name, says, parts, arrows) {
  const layer = layersOf(arrows);
  const layers = [...new Set(layer)].sort((a, b) => a - b).map((l) => parts.flatMap((_, i) => (layer[i] === l ? [i] : [])));
  const places = [];
  for (const [row, members] of layers.entries()) {
    const w = Math.min(176, (width - 32 - (members.length - 1) * gap) / members.length);
    const left = (width - members.length * w - (members.length - 1) * gap) / 2;
    for (const [column, i] of members.entries()) places[i] = { x: left + column * (w + gap), y: top + row * layerStep, w };
  }
  const curves = reduced(arrows).flatMap((targets, from) => [...targets].map((to) => curve(places[from], places[to])));
  const boxes = parts.map((part, i) => box(places[i].x, places[i].y, places[i].w, boxHeight, part));
  const height = top + (layers.length - 1) * layerStep + boxHeight + 18;
  const summary = parts.map((part) => `${part.name}: ${part.says}`).join("; ");
  return picture(height, name, summary, [style, text(16, 42, says, { kind: "small" }), ...curves, ...boxes]);
}

/** A curve from the lower edge of one box to the upper edge of the other; beside them when both are in one layer. */
function curve(a, b) {
  if (a.y === b.y) {
    const [x1, x2] = a.x < b.x ? [a.x + a.w, b.x] : [a.x, b.x + b.w];
    return `<path d="M${at(x1)} ${a.y + boxHeight / 2} L${at(x2)} ${b.y + boxHeight / 2}" class="arrow"/>`;
  }
  const [x1, y1, x2, y2] = [a.x + a.w / 2, a.y + boxHeight, b.x + b.w / 2, b.y];
  const bend = (layerStep - boxHeight) * 0.8;
  return `<path d="M${at(x1)} ${y1} C${at(x1)} ${y1 + bend} ${at(x2)} ${y2 - bend} ${at(x2)} ${y2}" class="arrow"/>`;
}

/** The farm: who there is, and who dials whom. */
export function farmPicture() {
  const middle = 330;
  const role = (y, name, says) => box(520, y, 184, boxHeight, { name, says });
  const parts = [
    style,
    box(16, 60, 150, boxHeight, { name: "client", says: "tunes, on a laptop" }),
    box(16, 150, 150, boxHeight, { name: "browser", says: "sees the farm" }),
    box(16, 240, 150, boxHeight, { name: "Python, CI", says: "any gRPC client" }),
    box(middle - 75, 130, 150, 94, { name: "tracker", says: "who is next, who may what" }),
    box(middle - 75, 290, 150, boxHeight, { name: "SQL store", says: "jobs, results, records" }, "store"),
    role(46, "builder", "compiles in a sandbox"),
    role(116, "builder", "as many as the queue needs"),
    role(206, "runner, 8 GPUs", "a child process a device"),
    role(276, "runner, 1 GPU", "checks, then times"),
    `<path d="M${middle} 226 L${middle} 288" class="arrow both"/>`,
    `<path d="M168 87 L253 150" class="arrow"/><path d="M168 177 L253 177" class="arrow"/><path d="M168 267 L253 206" class="arrow"/>`,
    `<path d="M518 73 L407 146" class="arrow"/><path d="M518 143 L407 166" class="arrow"/>`,
    `<path d="M518 233 L407 188" class="arrow"/><path d="M518 303 L407 210" class="arrow"/>`,
    text(210, 88, "gRPC, TLS", { kind: "small" }),
    text(440, 88, "gRPC, TLS", { kind: "small", anchor: "middle" }),
  ];
  const summary =
    "Clients, browsers, builders and runners dial the tracker; nobody dials them. The tracker keeps everything in a SQL store.";
  return picture(364, "A farm: everybody dials the tracker", summary, parts);
}
