/** Repeats of a measurement as dots on a line, with the median's interval; the figures stand beside it. */
import { countWords, timeWords } from "@warpfarm/common/words";

const [width, height, pad] = [560, 44, 12];

export function Dots({ costs, interval }: { costs: readonly number[]; interval: readonly [number, number] | undefined }) {
  const low = Math.min(...costs, interval?.[0] ?? Number.POSITIVE_INFINITY);
  const high = Math.max(...costs, interval?.[1] ?? 0);
  const x = (seconds: number) => (high > low ? pad + ((seconds - low) / (high - low)) * (width - 2 * pad) : width / 2);
  const shown = costs.length > 400 ? costs.filter((_, i) => i % Math.ceil(costs.length / 400) === 0) : costs;
  return (
    <figure class="dots">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`${countWords(costs.length, "repeat")}, from ${timeWords(low, 5)} to ${timeWords(high, 5)}`}
      >
        {interval && (
          <rect x={x(interval[0])} y={8} width={Math.max(1, x(interval[1]) - x(interval[0]))} height={28} class="interval" />
        )}
        <line x1={pad} y1={22} x2={width - pad} y2={22} class="axis" />
        {shown.map((cost, i) => (
          <circle key={i} cx={x(cost)} cy={22 + ((i * 7) % 13) - 6} r={3} class="repeat" />
        ))}
      </svg>
      <figcaption>
        {countWords(costs.length, "repeat")}, from {timeWords(low, 5)} to {timeWords(high, 5)}
        {interval && "; shaded: the median's 95 % interval"}
      </figcaption>
      <details class="figures">
        <summary>As a table</summary>
        <p>
          {costs
            .slice(0, 1000)
            .map((cost) => timeWords(cost, 5))
            .join(", ")}
        </p>
      </details>
    </figure>
  );
}
