import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Writes only files that changed, because a process may be running from this folder. */
export function writeChanged(path, text) {
  try {
    if (readFileSync(path, "utf8") === text) return;
  } catch {
    mkdirSync(dirname(path), { recursive: true });
  }
  writeFileSync(path, text);
}
