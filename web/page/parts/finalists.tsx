import { timeWords } from "@warpfarm/common/words";
import type { FinalsDetail } from "../../src/api.ts";
import { Heads, Scroll } from "./basics.tsx";

/** The fastest of a search, measured again, interleaved. */
export function Finalists({ finals: { rounds, ranks } }: { finals: FinalsDetail }) {
  return (
    <section>
      <h2>Finalists</h2>
      <Scroll name="Finalists">
        <table>
          <Heads of={["Config", ["Time"], "99 % interval", "Verdict"]} />
          <tbody>
            {ranks.map(({ config, seconds, low, high, words }) => (
              <tr key={config}>
                <th scope="row">{config}</th>
                <td class="number">{timeWords(seconds, 4)}</td>
                <td>
                  {timeWords(low, 4)} to {timeWords(high, 4)}
                </td>
                <td>{words}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <p class="soft">
        The fastest of the search, measured again and interleaved: {rounds} rounds. The best of the run is their winner, by its
        time here.
      </p>
    </section>
  );
}
