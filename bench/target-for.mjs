/**
 * A target that meets a template's need; of architectures the H100's.
 * @param {import("@warpfarm/common").TargetNeed} need
 */
export const targetFor = ({ kind, features = [] }) => (kind === "cpu" ? "cpu/x86-64-v4" : `cuda/sm_90${features.join("")}`);
