import { clampText } from "../../core/internal.ts";
import type { OutputBudget } from "../contract/index.ts";

/** The default budget: 64 KiB, both ends kept. */
export function standardBudget(): OutputBudget {
  return { kind: "middle", maxBytes: 64 * 1024 };
}

/** Cuts a text to its budget. Text that fits is returned unchanged. */
export function clamp(text: string, budget: OutputBudget): string {
  return clampText(text, budget);
}
