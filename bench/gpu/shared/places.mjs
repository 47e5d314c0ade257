/**
 * How a kernel's time varies while its graph, code and buffers stay where they are, and when one of them is made anew: by batches
 * of 15 ms. `kernels`: { artifact, seconds } each; for each come back { same, graph, module, buffers } with values in
 * microseconds and their spread.
 */
import { tensor } from "./kernels.mjs";
import { spread } from "./sections.mjs";

export function placesOf(device, kernels) {
  const pads = [];
  return kernels.map(({ artifact, seconds }) => {
    const { manifest, codePath } = artifact;
    const number = Math.max(1, Math.ceil(0.015 / seconds));
    const take = () => {
      const buffers = new Map(manifest.buffers.map((spec) => [spec.name, device.allocate(spec)]));
      let n = 0;
      for (const buffer of buffers.values()) if (buffer.spec.role === "in") device.fill(buffer, 1, n++);
      return buffers;
    };
    let buffers = take();
    let module = device.load(manifest, codePath);
    const us = () => (1e3 * device.run(module, buffers, number, "cuda_graph")) / number;
    const anew = {
      same: () => {},
      // A graph of another size takes the place of the one before.
      graph: () => device.run(module, buffers, 1, "cuda_graph"),
      module: () => {
        module[Symbol.dispose]();
        module = device.load(manifest, codePath);
        device.run(module, buffers, 1, "cuda_graph");
      },
      buffers: () => {
        for (const buffer of buffers.values()) device.free(buffer);
        pads.push(device.allocate(tensor("pad", "in", "int8", [(1 + (pads.length % 5)) << 20])));
        buffers = take();
      },
    };
    us();
    const found = {};
    for (const [what, make] of Object.entries(anew)) {
      const values = Array.from({ length: 8 }, () => {
        make();
        return us();
      });
      found[what] = { values, spread: spread(values) };
    }
    module[Symbol.dispose]();
    for (const buffer of buffers.values()) device.free(buffer);
    return found;
  });
}
