/**
 * Why an embedded engine stopped, in words. It is PostgreSQL as WebAssembly: where a server writes a line to its log and exits,
 * what arrives here is the abort of its runtime ("Aborted(). Build with -sASSERTIONS for more info.", "unreachable").
 */
const aborted = /\bAborted\(|-sASSERTIONS|\bunreachable\b|failed to initialize properly|memory access out of bounds/;

export const engineWords = ({ message }: Error): string =>
  aborted.test(message)
    ? "its engine ended itself, as it does when one of its files is damaged, missing, or cannot be written"
    : message;
