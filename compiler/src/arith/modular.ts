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

/** The residue class of a sum: m*x + r, where m is the common divisor of the varying terms. Alignment proofs use it. */
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
