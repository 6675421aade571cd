import { vi } from "vitest";

/** The look-ups of tools with these names, in any `Map`, while `work` runs, in order. */
export async function toolLookUps(names: readonly string[], work: () => Promise<unknown>): Promise<string[]> {
  const spy = vi.spyOn(Map.prototype, "get");
  try {
    await work();
    return spy.mock.calls.flatMap(([key], at) =>
      typeof key === "string" && names.includes(key) && isTool(spy.mock.results[at]?.value) ? [key] : [],
    );
  } finally {
    spy.mockRestore();
  }
}

/** A tool, its descriptor, or its definition. Rules and texts about it are found by its name too. */
function isTool(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return "descriptor" in value || "parameters" in value || "inputSchema" in value;
}
