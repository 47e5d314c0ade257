/** Names of the driver's errors that the scripted driver throws, by their numbers. */
export const errorNames: Readonly<Record<number, string>> = {
  2: "CUDA_ERROR_OUT_OF_MEMORY",
  200: "CUDA_ERROR_INVALID_IMAGE",
  500: "CUDA_ERROR_NOT_FOUND",
  700: "CUDA_ERROR_ILLEGAL_ADDRESS",
  701: "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
  901: "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
  999: "CUDA_ERROR_UNKNOWN",
};
