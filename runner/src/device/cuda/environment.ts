/** Variables that NVIDIA's libraries read. A child gets these from its supervisor's environment and no others. */
export const cudaEnvironment: readonly string[] = [
  "CUDA_VISIBLE_DEVICES",
  "CUDA_DEVICE_ORDER",
  "CUDA_CACHE_DISABLE",
  "CUDA_CACHE_MAXSIZE",
  "CUDA_CACHE_PATH",
  "CUDA_MPS_PIPE_DIRECTORY",
  "NVIDIA_VISIBLE_DEVICES",
  "LD_LIBRARY_PATH",
  "HOME",
];
