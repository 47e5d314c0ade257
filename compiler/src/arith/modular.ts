/**
 * Residue classes: `value mod modulus = residue`, with 0 <= residue < modulus; modulus 0 means the value is exactly `residue`.
 */
import { type Atom, gcd, type Linear } from "./linear.ts";

export interface Residue {
  readonly modulus: number;
  readonly residue: number;
}

const normalize = (modulus: number, residue: number): Residue => ({
  modulus,
  residue: modulus === 0 ? residue : residue - modulus * Math.floor(residue / modulus),
});

function residueOfAtom(atom: Atom): Residue {
  if (atom.kind !== "split" || atom.lower !== 1) return { modulus: 1, residue: 0 };
  const base = residueOf(atom.base);
  return normalize(gcd(base.modulus, atom.upper), base.residue);
}

/** What is known of a sum: m*x + r with m the common divisor of what varies. Alignment proofs rest on it. */
export function residueOf(l: Linear): Residue {
  let modulus = 0;
  let residue = l.constant;
  for (let i = 0; i < l.atoms.length; i++) {
    const coef = l.coefs[i] as number;
    const part = residueOfAtom(l.atoms[i] as Atom);
    modulus = gcd(modulus, coef * part.modulus);
    residue += coef * part.residue;
  }
  return normalize(modulus, residue);
}
