/** The roofline of a record. */
import { useEffect, useState } from "preact/hooks";
import type { RecordDetail } from "../../src/api.ts";
import { rateWords, roofCurve, rooflineWords, type Work } from "../model/roofline.ts";
import { Chart } from "./chart.tsx";

/** Undefined: unknown, or not yet. */
function useWork(program: string | undefined): Work | undefined {
  const [work, setWork] = useState<Work>();
  useEffect(() => {
    let isCurrent = true;
    setWork(undefined);
    if (program === undefined) return;
    import("../kernel/work.ts").then(
      ({ workOf }) => isCurrent && setWork(workOf(program)),
      () => {}, // the kernel's own part says what is wrong
    );
    return () => {
      isCurrent = false;
    };
  }, [program]);
  return work;
}

export function Roofline({ detail }: { detail: RecordDetail }) {
  const work = useWork(detail.program);
  const { device } = detail.record;
  if (work === undefined || detail.seconds === undefined || work.flops === 0) return null;
  const words = `${rooflineWords(device?.name ?? "", work, detail.seconds)}.`;
  const curve = roofCurve(device?.name ?? "", work);
  const rate = work.flops / detail.seconds;
  return (
    <section>
      <h2>Roofline</h2>
      {curve === undefined ? (
        <p>{words}</p>
      ) : (
        <Chart
          name="Roofline"
          summary={words}
          x={curve.intensities}
          xLabel="operations a byte"
          yLabel="operations a second"
          series={[
            { label: "the device allows", colour: "--e", kind: "line", values: curve.roof },
            {
              label: "this kernel",
              colour: "--b",
              kind: "mark",
              values: curve.roof.map((_, i) => (i === curve.own ? rate : null)),
            },
          ]}
          logX
          logY
          showX={(value) => String(Number(value.toPrecision(3)))}
          showY={rateWords}
          height={240}
          ySize={92}
          zoomName="zoom-roof"
        />
      )}
    </section>
  );
}
