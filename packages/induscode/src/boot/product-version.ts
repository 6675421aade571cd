import { readFileSync } from "node:fs";

/** The version in this package's manifest. */
export function productVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return String((manifest as { readonly version?: unknown }).version);
}
