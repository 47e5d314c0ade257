const marks = /(<!-- times -->\n)[\s\S]*?(<!-- end of times -->)/;

/**
 * A page with the table of the measured steps between its two marks, or with nothing there when nothing was measured. `results`:
 * what bench/gpu/tutorial.mjs saves.
 */
export function withTimes(text, results) {
  if (!marks.test(text)) throw new Error("the page has no marks <!-- times --> and <!-- end of times -->");
  if (results === undefined) return text.replace(marks, "$1$2");
  const { device, date, figures } = results;
  const [{ n, gflops: first }] = figures.steps;
  const time = (us) => (us < 1000 ? `${us.toFixed(1)} us` : `${(us / 1000).toFixed(2)} ms`);
  const rows = figures.steps.map(
    ({ step, dtype, us, gflops }) =>
      `| ${step} | ${dtype} | ${time(us)} | ${(gflops / 1000).toFixed(1)} TFLOPS | ${(gflops / first).toFixed(1)} |`,
  );
  const table = [
    `Measured on one ${device.name}, ${date.slice(0, 10)}, at ${n} x ${n} x ${n} (\`node bench/gpu/tutorial.mjs\`):`,
    "",
    "| step | operands | time | speed | times the speed of step 1 |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
  ];
  return text.replace(marks, (_, begin, end) => `${begin}\n${table.join("\n")}\n\n${end}`);
}
