import { signal } from "@preact/signals";

const STORED = "indus-theme";
export type Theme = "light" | "dark" | "system";

const dark = matchMedia("(prefers-color-scheme: dark)");
const stored = localStorage.getItem(STORED);
const chosen = signal<Theme>(stored === "light" || stored === "dark" ? stored : "system");

/** The colours that are shown. */
export const theme = signal<"light" | "dark">("light");

function apply(): void {
  const shown = chosen.value === "system" ? (dark.matches ? "dark" : "light") : chosen.value;
  document.documentElement.dataset["theme"] = shown;
  theme.value = shown;
}

export function setTheme(next: Theme): void {
  chosen.value = next;
  if (next === "system") localStorage.removeItem(STORED);
  else localStorage.setItem(STORED, next);
  apply();
}

apply();
dark.addEventListener("change", apply);
