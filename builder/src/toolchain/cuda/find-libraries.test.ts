import { expect, it } from "vitest";
import { cudaHomes, includeFolders, nvrtcCandidates } from "./find-libraries.ts";

const disk: Readonly<Record<string, readonly string[]>> = {
  "/usr/local": ["bin", "cuda", "cuda-9.2", "cuda-12.4", "cuda-13.0", "cuda-old"],
  "/usr/local/cuda-13.0/lib64": ["libnvrtc.so.13", "libnvrtc-builtins.so.13.0"],
  "/usr/local/cuda-12.4/lib64": ["libnvrtc.so.12", "libcudart.so.12"],
  "/usr/local/cuda-9.2/lib64": ["libnvrtc.so.11.2"],
  "/usr/local/cuda-13.0/include": ["cuda_fp16.h", "cccl"],
  "/mine/lib": ["libnvrtc.so.12", "libnvrtc.so.11.2"],
  "/usr/lib/x86_64-linux-gnu": ["libnvrtc.so.11.2"],
};
const list = (folder: string): readonly string[] => disk[folder] ?? [];

it("NVRTC: the operator's toolkit first, then the newest, then the system's, then the loader's path", () => {
  expect(nvrtcCandidates({ homes: ["/mine"], list })).toEqual([
    "/mine/lib/libnvrtc.so.12",
    "/mine/lib/libnvrtc.so.11.2",
    "/usr/local/cuda-13.0/lib64/libnvrtc.so.13",
    "/usr/local/cuda-12.4/lib64/libnvrtc.so.12",
    "/usr/local/cuda-9.2/lib64/libnvrtc.so.11.2",
    "/usr/lib/x86_64-linux-gnu/libnvrtc.so.11.2",
    "libnvrtc.so.13",
    "libnvrtc.so.12",
    "libnvrtc.so.11.2",
  ]);
});

it("an environment names toolkits and folders of libraries", () => {
  expect(cudaHomes({ CUDA_HOME: "/a", LD_LIBRARY_PATH: "/b/lib64::relative:/c" })).toEqual(["/a", "/b/lib64", "/c"]);
  expect(cudaHomes({})).toEqual([]);
  expect(nvrtcCandidates({ homes: ["/mine/lib"], list })[0]).toBe("/mine/lib/libnvrtc.so.12");
});

it("headers: of the first toolkit that has them, with libcu++ where CUDA 13 keeps it", () => {
  expect(includeFolders({ homes: [], list })).toEqual(["/usr/local/cuda-13.0/include", "/usr/local/cuda-13.0/include/cccl"]);
  expect(includeFolders({ homes: [], list: () => [] })).toEqual([]);
});
