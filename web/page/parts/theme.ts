import { useEffect, useState } from "preact/hooks";

export type Theme = "auto" | "light" | "dark";
const key = "warpfarm-theme";
const changed = new EventTarget();

export const chosenTheme = (): Theme => {
  const kept = localStorage.getItem(key);
  return kept === "light" || kept === "dark" ? kept : "auto";
};

export function chooseTheme(theme: Theme): void {
  if (theme === "auto") localStorage.removeItem(key);
  else localStorage.setItem(key, theme);
  applyTheme();
}

const systemDark = () => matchMedia("(prefers-color-scheme: dark)");

export function applyTheme(): void {
  const theme = chosenTheme();
  document.documentElement.dataset.theme = theme === "auto" ? (systemDark().matches ? "dark" : "light") : theme;
  changed.dispatchEvent(new Event("changed"));
}

export function watchSystemTheme(): void {
  systemDark().addEventListener("change", applyTheme);
}

/** The value of a variable of style.css in the current theme, for canvases. */
export const cssOf = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The theme that is shown, `light` or `dark`. Canvases are drawn again when it changes. */
export function useTheme(): string {
  const [theme, setTheme] = useState(() => document.documentElement.dataset.theme ?? "light");
  useEffect(() => {
    const take = () => setTheme(document.documentElement.dataset.theme ?? "light");
    changed.addEventListener("changed", take);
    return () => changed.removeEventListener("changed", take);
  }, []);
  return theme;
}
