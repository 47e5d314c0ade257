export const page: string;
export type Step =
  | { readonly kind: "file"; readonly name: string; readonly text: string }
  | { readonly kind: "command"; readonly command: string; readonly output: string };
export function stepsOf(text: string): readonly Step[];
export function say(command: string, cwd: string, env: Readonly<Record<string, string | undefined>>): string;
export function surroundings(
  directory: string,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>>;
export function recorded(text: string, write: (name: string, text: string) => void, run: (command: string) => string): string;
export function plain(command: string, said: string): readonly string[];
