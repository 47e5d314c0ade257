/** The answer of the node's own kernel `arithmetic` (own.ts): the ends of its 256 chains, each a little-endian word. */
export const chainEnds: Uint32Array = wordsOf(
  "ljQOHzzVzw9o98jGs54vgcc7NobXNbqvPQ+nkem+l/I1kXW78mu2WLb0AobIpol9PvIGGe6EhlygRpHAN27xty01ejMiuUDPMv8YIpHScSYpoG+mPLLSAoKU" +
    "uYJh6t+FBGaiVYcOxKt8iaD8/P7b/vvt47wQKeOvbj9d2gsMUKimp2jZO2Y7+2/TLrF+qNPLNlNCXLi2DY83RKA6/1ewwKMFWX80NpOdNSauLmSNPQFNtQWb" +
    "FHCVNARbzcqj2P9R7WqNP9GKKOBysTIuQQp2AZGeiBnhi0QVW/5BQkNktnztXTzMETUDS0RZDMBmkAyOswaDxbofwabJooTG/0MgeUFQzcHgB+3lrBh85MRd" +
    "2wwl3EP8P8cGAdTaknXJV2AkmOeeRvq2+G31iZ/cC4v67zO5M3yvovN3KWhwzSKIHTste8jhDCmst4JagzMQsb7Jj+l97ff1Xzl/kkWyH5b7PdLpVLlZpPPq" +
    "jH6FuDUC4VELl1tCXMzzZmpnxOom+lZuOJY7P/5CEMAdA54mZ7LZY5sYikc4uVYf+t8H4e+iUiIMkpQWVdAQO/zwRI5BvHbyMdGvUVbJWGaY8nelx0KbuGre" +
    "sCtEYH3q0FiMZMDszUYWbN5xquwYkDnhe3mYtqsczmuBrfOlf1WTkaP4BuGVuIn+jVvEE0ne7X+Nkn9GIwBiqY/vE+Sg+87JuIwtXYAbvX2qG530YkQ80ZQm" +
    "6bsy/cUThCFe8TgYlX6NaEIxeIFZZ5Cm6Rc6nM9eUfrngpyb3EGC1P971Rpo2G5d8Ov8AUhPgktXV0SjQRyGW7HcYToVx8GmLdvR0WQr5CpiXn55U7Wwe+kR" +
    "kdM7inlX2USQ0IgPCb3QekXnv26fNIyunEfUe8cSkUQk70ni130z6S8gDHHM5c5zA4rkhCYTXzy5OlI48WXAlVk8fQo2bHYEedPoO9GOLjx52eph/eOJ03+X" +
    "FJQTEycsCHJ8kf22+9zSe+Z1Zv8hm6gDpGDDgp/DsUhUvQOuoaUFY7+83n53htaD9EtrMd5TuJsnbxf3VOY8IUb3Jol8HO6tBPtZARmT321aKWiMRSD6MXfZ" +
    "DpKQTqh1e6/VNtgexuX4g6+rqGpfEGQVgYe9ENF3cVDpMxU0ANQcctdCCS9xBn2s0FMYRyppRwN6SE2KiXEFKZM6iURGBAiXXgROQU1VwmTlpop9dZHIlhQC" +
    "dFxnitcUngQHvV0dcrbPeCh5Byke4osLqZTBrhbJ2fktofol32I+T5WXIGai9AXPb6pE8PXpv5K1QYsZHKNze03JMaPnAsCeMP7+2RPpi7vKBQpoWXcemVTg" +
    "RGfu0OGvfieecPrfSLYV62J7+zlrBPeB1/apNu+zvKErDw==",
);

function wordsOf(base64: string): Uint32Array {
  const bytes = Buffer.from(base64, "base64");
  return Uint32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readUInt32LE(4 * i));
}
