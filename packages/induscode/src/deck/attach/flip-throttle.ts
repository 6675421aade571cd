import type { BridgeEntry, BridgeKey, EnrollEntry } from "../ledger/index.ts";
import { bodyId } from "../ledger-log/internal.ts";

/** A tool that changes between known forms is stored at most once in this time. */
const WINDOW_MS = 60_000;

/** What is known about one tool. */
interface KnownTool {
  /** The key that is live in the log. */
  stored: BridgeKey | undefined;
  /** The form of that key. */
  storedForm: string | undefined;
  /** When its last entry was stored, on the monotonic clock. */
  storedMs: number;
  /** Every form that the log has. */
  readonly forms: Set<string>;
  /** The form that is live, if the log does not have that change yet. */
  held: EnrollEntry | undefined;
  /** Changes since the last stored entry. */
  flips: number;
}

/**
 * Rate-limits the events of tools that flip between known forms. A flip is held back if the tool was stored less than a
 * minute ago; the next stored entry carries the number of flips since. Nothing else is held back, so stored plus held
 * entries always yield the same live tools as all events. Results keep the events' sequence numbers; the writer renumbers.
 */
export class FlipThrottle {
  readonly #tools = new Map<string, KnownTool>();
  readonly #nameOf = new Map<BridgeKey, string>();
  readonly #holding = new Set<string>();

  /** `stored`: what the log has already. */
  constructor(stored: readonly BridgeEntry[] = []) {
    this.take(stored, Number.NEGATIVE_INFINITY);
  }

  /** Takes simultaneous events and returns what to store now. */
  take(entries: readonly BridgeEntry[], nowMs: number): BridgeEntry[] {
    /** The tools that flip between known forms now. */
    const flipping = new Set(
      entries.flatMap((entry) =>
        entry.op === "enroll" && this.#isFlip(entry, nowMs) ? entry.capability.name : [],
      ),
    );
    const stored: BridgeEntry[] = [];
    for (const entry of entries) {
      const name = entry.capability?.name ?? this.#nameOf.get(entry.key);
      if (name === undefined) {
        stored.push(entry); // Retires something that was never enrolled.
        continue;
      }
      const tool = this.#toolOf(name);
      if (flipping.has(name)) {
        if (entry.op === "retire") continue; // Its next form follows.
        tool.held = entry;
        tool.flips += 1;
        this.#holding.add(name);
      } else {
        stored.push(...this.#released([name], nowMs), entry);
        if (entry.op === "enroll") this.#store(entry, tool, nowMs);
        else tool.stored = undefined;
      }
    }
    return stored;
  }

  /** When the first held change is due; `undefined` if none is held. */
  get dueMs(): number | undefined {
    let due: number | undefined;
    for (const name of this.#holding)
      due = Math.min(due ?? Infinity, this.#toolOf(name).storedMs + WINDOW_MS);
    return due;
  }

  /** The held changes that are due, or all of them. */
  release(nowMs: number, all = false): BridgeEntry[] {
    const isDue = (name: string): boolean => all || nowMs - this.#toolOf(name).storedMs >= WINDOW_MS;
    return this.#released([...this.#holding].filter(isDue), nowMs);
  }

  /** Whether an event only switches a recently stored tool to another form that the log already has. */
  #isFlip(entry: EnrollEntry, nowMs: number): boolean {
    const tool = this.#toolOf(entry.capability.name);
    const isRecent = nowMs - tool.storedMs < WINDOW_MS;
    if (!isRecent || tool.stored === undefined) return false;
    const form = formOf(entry);
    const isOther = tool.held !== undefined || form !== tool.storedForm;
    return form !== undefined && isOther && tool.forms.has(form);
  }

  /** The entries that bring the log up to the held form of these tools. */
  #released(names: readonly string[], nowMs: number): BridgeEntry[] {
    const retired: BridgeEntry[] = [];
    const enrolled: BridgeEntry[] = [];
    for (const name of names) {
      const tool = this.#toolOf(name);
      const { held, stored: key, flips } = tool;
      if (!held) continue;
      const { server, seq, at } = held;
      if (key !== undefined && key !== held.key) retired.push({ op: "retire", key, server, seq, at });
      enrolled.push(flips > 1 ? { ...held, flips } : held);
      this.#store(held, tool, nowMs);
    }
    return [...retired, ...enrolled];
  }

  #store(entry: EnrollEntry, tool: KnownTool, nowMs: number): void {
    const { key, capability } = entry;
    const { name } = capability;
    this.#nameOf.set(key, name);
    const form = formOf(entry);
    if (form !== undefined) tool.forms.add(form);
    Object.assign(tool, { stored: key, storedForm: form, storedMs: nowMs, held: undefined, flips: 0 });
    this.#holding.delete(name);
  }

  #toolOf(name: string): KnownTool {
    const known = this.#tools.get(name);
    if (known) return known;
    const tool: KnownTool = {
      stored: undefined,
      storedForm: undefined,
      storedMs: Number.NEGATIVE_INFINITY,
      forms: new Set(),
      held: undefined,
      flips: 0,
    };
    this.#tools.set(name, tool);
    return tool;
  }
}

/** Key plus body hash, because tools with different texts may share a key. Undefined if nested too deeply to hash. */
function formOf({ key, capability }: EnrollEntry): string | undefined {
  try {
    return `${key} ${bodyId(capability.descriptor)}`;
  } catch {
    return undefined;
  }
}
