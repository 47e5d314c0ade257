/** Made by scripts/pack-knowledge.mjs: the files of client/knowledge with their SHA-256. */
export const shippedDigests: Readonly<Record<string, string>> = {
  "conv2d_hwcn_direct-H100.json.gz": "7e953b8fda53920ead5caf639c158251f0446f4df3db7de68e749cc64ed26d85",
  "conv2d_nchw_gemm-H100.json.gz": "fb1fde341c49556d2a6194276542e524539f7e0cd6af895e39ecc4f98c841868",
  "conv2d_nchw_gemm-H200.json.gz": "1eb5c771336813aabe01e3eeeafd36a9625cef8228f115ba7abef5df0bbca318",
  "conv2d_nhwc_mma-H100.json.gz": "0161525a7795884797a031e0ead44b7191e2a28965e3a1a2d6b7d0dfaefad425",
  "conv2d_nhwc_mma-H200.json.gz": "849fa65d68ce49a0044686de3f2a1309b37b8abd70ff8c30fe2549362269cb87",
  "conv2d_nhwc_tma-H200.json.gz": "6b711a756768019e352a21ca3c6fc37ae06d80d8f4c4e94c34c8e7db33cefc7d",
  "conv2d_splitk-H100.json.gz": "da81d176fe270d7787541d9ec659264bc668183763068319832ef6c228975501",
  "conv2d_splitk-H200.json.gz": "94c1aab93a86b423682db7410a2eb7700ad5eb5fae5c19426e2455fccd2c0a87",
  "linear_w4-H200.json.gz": "132fc53ea83b528e4d7dca079d3e64a78e793aed7a460d6c5e66204cf9370c99",
  "matmul_latency-H100.json.gz": "240915e3357ce0ae5e431613246a4204105f353d6aa6a3d722b16ba331621e45",
  "matmul_latency-H200.json.gz": "fc5a2b8328b313a8dca8a14affa5e0e983eea401686fda2660ef94f214032481",
  "matmul_mma-H100.json.gz": "43967df9d7713032397275de0a5da26d1ea7914e49488370d79024e7652b7d33",
  "matmul_simt-H100.json.gz": "129b9d61478870b7331acc8174c448b94973c3b1209c209661b05b6b576778d7",
  "matmul_simt-H200.json.gz": "b16a76627d5b5cb3bf7985232eb081548c1d7624df3881fb17f29d19e8075e8d",
  "matmul_tma-H100.json.gz": "fb6aa3c903640b02598771fcf489ef59ca72cc1c6271133f73ea8490950a117a",
  "matmul_tma-H200.json.gz": "51599fa712c3f66437abdab12677e9f3af396672bc1344506d2c53f5604e75c1",
};
