/** Made by scripts/pack-knowledge.mjs: the files of client/knowledge with their SHA-256. */
export const shippedDigests: Readonly<Record<string, string>> = {
  "conv2d_hwcn_direct-H100.json.gz": "b10afdea8274e1370afc3851e960d0bda7efac41c401f519ee636e330fcef769",
  "conv2d_nchw_gemm-H100.json.gz": "f38f905784c4c0126f30bf9befcfadd12733389c5e2e89da8caa6d8c14517ae9",
  "conv2d_nchw_gemm-H200.json.gz": "88bd0bd9138f6a8edbde203439c4e60b3f947d9630a237e2180f6703e14dcbd4",
  "conv2d_nhwc_mma-H100.json.gz": "c2d759a2417d610f4ab5a9f35f6e0f1c84ad77307f020f14c980df3d39ed2e83",
  "conv2d_nhwc_mma-H200.json.gz": "4ed95662c3775f2c234c06161a1605f4cc58a3e935b99f025e5e669cf010b374",
  "conv2d_nhwc_tma-H200.json.gz": "f1f76346d4d4e25e0e78522c0220657fab3d73c874508ea65487ec9002bb8e17",
  "conv2d_splitk-H100.json.gz": "33d67b4327fe1c3d51fab4be728a040e92d24f0f79d6fc1d26d5af5242e84312",
  "conv2d_splitk-H200.json.gz": "a6f8968a05e9b8117d0c1006a63ce342480766cc69869bda27432309d723048d",
  "matmul_latency-H100.json.gz": "903d39f34323e435bb24a14b5e7848088634f56ef5aba80ec639c7236541d228",
  "matmul_mma-H100.json.gz": "d2fc2129b279f2dc9693cd22616d31ebbba727843ba42eb7d2bc0dacd1c4b717",
  "matmul_simt-H100.json.gz": "e818fd76995d1c670dce9a26536b39f03b7b2e492e0df3d1332a2a8cb340e04b",
  "matmul_simt-H200.json.gz": "5b5aab37a7c8cfd71165a61e639a2193e34ceb98742752043f5ae334ae1b5abb",
  "matmul_tma-H100.json.gz": "95e8624e03b1130cad6061c1d7793063d59f4075ba84d8ae378a072c99507784",
  "matmul_tma-H200.json.gz": "1ebd009e66f02b812a4dc282f924d1043079690b27d606bd0613049c4b89344a",
};
