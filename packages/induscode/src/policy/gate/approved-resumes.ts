import { contentHash } from "indusagi/core";
import type { Caller, ToolCall, ToolOutcome } from "indusagi/runtime";

const MAX_KEPT = 256;

/**
 * Approved calls that wait for answers. Such a call is repeated with the answers, and the repetition needs no second
 * approval: same tool, same arguments, same caller, same state, and once only.
 */
export class ApprovedResumes {
  readonly #keys = new Set<string>();

  /** Remembers an approved call if it was suspended. */
  note(call: ToolCall, { suspended }: ToolOutcome, caller: Caller | undefined): void {
    const key = suspended && keyOf(call, suspended.state, caller);
    if (key === undefined) return;
    this.#keys.add(key);
    for (const oldest of this.#keys) {
      if (this.#keys.size <= MAX_KEPT) break;
      this.#keys.delete(oldest);
    }
  }

  /** Whether this call repeats an approved one. The approval is used up. */
  take(call: ToolCall, caller: Caller | undefined): boolean {
    if (!caller?.resume || this.#keys.size === 0) return false;
    const key = keyOf(call, caller.resume.state, caller);
    return key !== undefined && this.#keys.delete(key);
  }
}

function keyOf(
  { name, input }: ToolCall,
  state: string | undefined,
  caller: Caller | undefined,
): string | undefined {
  try {
    return contentHash([name, input ?? null, state ?? null, caller?.key ?? null, caller?.principal ?? null]);
  } catch {
    return undefined; // Arguments that are not JSON: the repetition asks again.
  }
}
