import { relative } from "node:path";
import { describeError, errorCode, escapeForDisplay, systemClock } from "indusagi/core";
import type { TranscriptEntry } from "indusagi/runtime";
import { COMMAND_TOOLS } from "../../deck/contract/index.ts";
import { type RewindTarget, SessionError, type SessionRewind, type SessionTurn } from "../contract.ts";
import type { SessionParts } from "../parts/session-parts.ts";
import type { SessionRecord } from "../transcript/session-record.ts";
import type { TurnFileMark } from "../transcript/session-state.ts";
import type { PathReason } from "./tree-snapshots.ts";

/** Tracks the files that each turn changes, and rewinds them. */
export interface TurnFiles {
  beginTurn(): Promise<void>;
  /** Call before a call that may change files behind the checkpoint store's back. Never rejects. */
  beforeCommand(): Promise<void>;
  endTurn(): Promise<void>;
  turns(): readonly SessionTurn[];
  rewind(
    turn: number,
    options: { readonly target: RewindTarget; readonly force: boolean },
  ): Promise<SessionRewind>;
}

type FileParts = Pick<SessionParts, "cwd" | "history" | "snapshots" | "user" | "clock">;

export function createTurnFiles(
  parts: FileParts,
  record: SessionRecord,
  notice: (message: string) => void,
): TurnFiles {
  return new SessionFiles(parts, record, notice);
}

const NOTHING: SessionRewind = { done: true, restored: [], removed: [], conflicts: [], skipped: [] };

/** The checkpoint store's reasons in plain words. */
const CONFLICTS: Readonly<Record<string, string>> = {
  unclear: "changed in a turn that was cut off, or after it",
  not_compared: "too large to compare, or not readable at the end of the turn",
  only_copy: "may be the only copy of a file that was not kept",
};
const UNKEPT: Readonly<Record<string, string>> = {
  large: "larger than 8 MiB",
  unreadable: "cannot be read",
  not_a_file: "not a regular file",
  not_utf8: "its name is not UTF-8",
};
const MAX_NAMED = 5;

class SessionFiles implements TurnFiles {
  readonly #parts: FileParts;
  readonly #record: SessionRecord;
  readonly #notice: (message: string) => void;
  /** Paths and problems already reported. */
  readonly #named = new Set<string>();
  #problem = "snapshots are not available";
  #before: Promise<void> | undefined;

  constructor(parts: FileParts, record: SessionRecord, notice: (message: string) => void) {
    this.#parts = parts;
    this.#record = record;
    this.#notice = notice;
  }

  async beginTurn(): Promise<void> {
    const { history, clock = systemClock } = this.#parts;
    this.#before = undefined;
    if (history && this.#record.state.checkpoints !== history.session)
      this.#record.append({ type: "checkpoints", session: history.session });
    const node = await history?.beginNode().catch((thrown: unknown) => {
      this.#notice(
        `file changes are refused in this turn because they could not be undone: ${describeError(thrown)}`,
      );
      return undefined;
    });
    this.#record.append({ type: "turn", at: clock.nowMs(), ...(node === undefined ? {} : { node }) });
  }

  beforeCommand(): Promise<void> {
    this.#before ??= this.#takeBefore();
    return this.#before;
  }

  async endTurn(): Promise<void> {
    await this.#before;
    if (this.#record.state.marks.at(-1)?.before === undefined) return;
    await this.#parts.snapshots?.after().catch((thrown: unknown) => this.#warn(thrown));
  }

  turns(): readonly SessionTurn[] {
    const { turns, marks } = this.#record.state;
    const paths = new Map(this.#parts.history?.nodes.map((node) => [node.id, node.paths]));
    return turns.map((turn, index) => {
      // After a rewind of only the conversation, the next turn also owns the files of the dropped turns.
      const own = marks.slice(turn.mark, turns[index + 1]?.mark ?? marks.length);
      return {
        turn: index + 1,
        at: turn.at,
        text: this.#record.state.textOf(turn),
        paths: [...new Set(own.flatMap(({ node = "" }) => paths.get(node) ?? []))],
        hasSnapshot: own.some((mark) => this.#hasCommands(mark)),
      };
    });
  }

  async rewind(
    turn: number,
    { target, force }: { readonly target: RewindTarget; readonly force: boolean },
  ): Promise<SessionRewind> {
    const { state } = this.#record;
    const found = state.turns[turn - 1];
    if (!found)
      throw new SessionError(
        "unknown_turn",
        `there is no turn ${turn}; the session has ${state.turns.length}`,
      );
    let done = NOTHING;
    if (target !== "conversation") {
      const marks = state.marks.slice(found.mark);
      const isKept = marks.some((mark) => this.#hasCommands(mark));
      done = await this.#rewindFiles(marks, { turn, force });
      if (!isKept && ranCommands(state.entries.slice(found.position)))
        done = { ...done, warning: `what commands and servers changed was not undone: ${this.#problem}` };
    }
    if (done.done) this.#record.append({ type: "rewind", turn, target });
    await this.#record.flush();
    return done;
  }

  /** All or nothing: if a file differs from what these turns left, changes nothing, unless `force` is set. */
  async #rewindFiles(
    marks: readonly TurnFileMark[],
    { turn, force }: { readonly turn: number; readonly force: boolean },
  ): Promise<SessionRewind> {
    const { history, snapshots } = this.#parts;
    const isLost = marks.some((mark) => mark.before !== undefined && !this.#hasCommands(mark));
    if (isLost && !force)
      throw new SessionError(
        "unknown_turn",
        `what commands changed since turn ${turn} can no longer be undone: it was saved by an earlier version, or ` +
          "dropped because of a limit of the store; force undoes the rest, or rewind only the conversation",
      );
    const known = new Set(history?.nodes.map(({ id }) => id));
    const first = marks.find(({ node }) => node !== undefined && known.has(node))?.node;
    if (!history || first === undefined) return NOTHING;
    const signal = snapshots?.deadline();
    const report = await history.rewind(first, { force, ...(signal && { signal }) });
    const { done, restored, removed, conflicts, skipped } = report;
    const named = conflicts.map(({ path, reason }) => ({ path, reason: CONFLICTS[reason] ?? reason }));
    return { done, restored, removed, conflicts: named, skipped };
  }

  /** Whether the changes of a turn's commands can be undone. */
  #hasCommands({ node }: TurnFileMark): boolean {
    return this.#parts.history?.nodes.find(({ id }) => id === node)?.hasCommands === true;
  }

  async #takeBefore(): Promise<void> {
    // A turn without a node cannot save anything, which was reported at its start.
    if (this.#record.state.marks.at(-1)?.node === undefined) return;
    try {
      const kept = await this.#parts.snapshots?.before();
      if (!kept) return;
      this.#record.append({ type: "snapshot", when: "before", tree: kept.id });
      this.#nameUnkept(kept.unkept);
    } catch (thrown) {
      this.#warn(thrown);
    }
  }

  /** Names each path once, before the command runs. */
  #nameUnkept(unkept: readonly PathReason[]): void {
    const added = unkept.filter(({ path }) => !this.#named.has(path));
    for (const { path } of added) this.#named.add(path);
    if (added.length === 0 || !this.#parts.user) return;
    const shown = added.slice(0, MAX_NAMED).map(({ path, reason }) => {
      const name = escapeForDisplay(relative(this.#parts.cwd, path));
      return `${name} (${UNKEPT[reason] ?? reason})`;
    });
    const more = added.length > MAX_NAMED ? ` and ${added.length - MAX_NAMED} more` : "";
    this.#notice(`what commands change in these cannot be undone with a rewind: ${shown.join(", ")}${more}`);
  }

  /**
   * Reports each problem once, even without a user: the commands run anyway. Without a user, not being in a work tree is normal
   * and not reported.
   */
  #warn(thrown: unknown): void {
    const problem = describeError(thrown);
    this.#problem = problem;
    if (this.#named.has(problem)) return;
    this.#named.add(problem);
    if (this.#parts.user || errorCode(thrown) !== "NO_WORK_TREE")
      this.#notice(`what commands change cannot be undone with a rewind: ${problem}`);
  }
}

/** Whether something ran that the checkpoint store does not track. */
function ranCommands(entries: readonly TranscriptEntry[]): boolean {
  return entries.some(
    (entry) =>
      entry.kind === "tool" &&
      entry.sent !== undefined &&
      entry.fault?.reason !== "policy" &&
      (COMMAND_TOOLS.has(entry.name) || entry.name.includes("__") || entry.origin !== undefined),
  );
}
