/** Rows of a network's table as tasks, for GPUs and processors. */

export type Layer = readonly [
  side: number,
  inChannels: number,
  outChannels: number,
  kernel: number,
  stride: number,
  count: number,
];

export const convolutions = (layers: readonly Layer[]) =>
  ["conv2d_nchw_gemm", "conv2d_nchw_cpu"].map((task) => ({
    task,
    shapes: layers.map(([side, CI, CO, kernel, stride, count]) => ({
      ...{ N: 1, H: side, W: side, CO, CI, KH: kernel, KW: kernel, stride, padding: kernel >> 1 },
      label: `${side}x${side} ${CI}->${CO} ${kernel}x${kernel}${stride === 1 ? "" : `/${stride}`}`,
      count,
    })),
  }));
