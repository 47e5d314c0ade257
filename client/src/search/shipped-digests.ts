/** Made by scripts/pack-knowledge.mjs: the files of client/knowledge with their SHA-256. */
export const shippedDigests: Readonly<Record<string, string>> = {
  "conv2d_hwcn_direct-H100.json.gz": "dba9b705c32e8e873fcbc2c10d3be228d3492cd85e0c9e792f1b194b44e4c145",
  "conv2d_nchw_gemm-H100.json.gz": "557eefd5b965594602000bc7db803aae8e2396275290c7163ed8b21a4d4f572d",
  "conv2d_nchw_gemm-H200.json.gz": "2a157e4218f550234f698434003415f73643c733fbaf08cee00b949903a23d62",
  "conv2d_nhwc_mma-H100.json.gz": "702f2ba2eee8f80aa64f8fdd2fc14bb3faad9599e7ef114fd067e176f87d1e90",
  "conv2d_nhwc_mma-H200.json.gz": "39d3fba1243da8e9cdbd2ad3ac2c67f196ca12d67a63f259049e7ebc3af7d109",
  "conv2d_splitk-H100.json.gz": "fafab5e3d3758d3d4b99251bb521b6c7ef9b2d64bd86ecc9a413b9f6a58a43a5",
  "conv2d_splitk-H200.json.gz": "23d463de480b7fa5bb124ab8a75cfc754407cd45cdbd9e91732618ecd475cd97",
  "matmul_latency-H100.json.gz": "6eb66b304e88c583d1b204240c00c6d5b53d06910cf5b4bea506b7f08cbd29ef",
  "matmul_mma-H100.json.gz": "03ef74e1e4c0aa81bc48ac982ea7873142f4e39b11fbac9cf5c2abb809bac69c",
  "matmul_simt-H100.json.gz": "1214c6d455abc3f99adc1f0b9422133a5eaaa89cf460ea13fbee62b00f422629",
  "matmul_simt-H200.json.gz": "cde8245933a68dbfcb2f4763285ad4d93a33cc79bdc5da208a7240de1bb32097",
  "matmul_tma-H100.json.gz": "49519ee0d760c3ca49b517bd0eac60235370be9851d0f322deb41ae1f18f3d79",
};
