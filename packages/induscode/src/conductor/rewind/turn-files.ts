import { describeError, systemClock } from "indusagi/core";
import type { TranscriptEntry } from "indusagi/runtime";
import { COMMAND_TOOLS } from "../../deck/contract/index.ts";
import type { RewindTarget, SessionRewind, SessionTurn } from "../contract.ts";
import { SessionError } from "../session-error.ts";
import type { SessionParts } from "../session-parts.ts";
import type { SessionRecord } from "../transcript/session-record.ts";
import { rewindFiles } from "./rewind-files.ts";
import type { TreeSnapshots } from "./tree-snapshots.ts";

/** What a session keeps of the files of its turns. */
export interface TurnFiles {
  beginTurn(): Promise<void>;
  /** Called before a call that may change files without the checkpoint store. Never rejects. */
  beforeCommand(): Promise<void>;
  endTurn(): Promise<void>;
  turns(): readonly SessionTurn[];
  rewind(
    turn: number,
    options: { readonly target: RewindTarget; readonly force: boolean },
  ): Promise<SessionRewind>;
}

type FileParts = Pick<SessionParts, "history" | "openSnapshots" | "user" | "clock">;

export function createTurnFiles(
  parts: FileParts,
  record: SessionRecord,
  notice: (message: string) => void,
): TurnFiles {
  return new SessionFiles(parts, record, notice);
}

class SessionFiles implements TurnFiles {
  readonly #parts: FileParts;
  readonly #record: SessionRecord;
  readonly #notice: (message: string) => void;
  #snapshots: Promise<TreeSnapshots | undefined> | undefined;
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
        `changes of files in this turn are refused, because they could not be undone: ${describeError(thrown)}`,
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
    const tree = await this.#take();
    if (tree !== undefined) this.#record.append({ type: "snapshot", when: "after", tree });
  }

  turns(): readonly SessionTurn[] {
    const { turns, marks } = this.#record.state;
    const paths = new Map(this.#parts.history?.nodes.map((node) => [node.id, node.paths]));
    return turns.map((turn, index) => {
      // A turn that was begun after a rewind of the conversation alone has the files of the dropped turns before it.
      const own = marks.slice(turn.mark, turns[index + 1]?.mark ?? marks.length);
      return {
        turn: index + 1,
        at: turn.at,
        text: this.#record.state.textOf(turn),
        paths: [...new Set(own.flatMap(({ node = "" }) => paths.get(node) ?? []))],
        hasSnapshot: own.some(({ before }) => before !== undefined),
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
    let done: SessionRewind = { done: true, restored: [], removed: [], conflicts: [], skipped: [] };
    if (target !== "conversation") {
      const marks = state.marks.slice(found.mark);
      const isKept = marks.some(({ before }) => before !== undefined);
      const snapshots = isKept ? await this.#open() : undefined;
      done = await rewindFiles(marks, { history: this.#parts.history, snapshots, force });
      if (!snapshots && ranCommands(state.entries.slice(found.position)))
        done = { ...done, warning: `what commands and servers changed was not undone: ${await this.#why()}` };
    }
    if (done.done) this.#record.append({ type: "rewind", turn, target });
    await this.#record.flush();
    return done;
  }

  async #takeBefore(): Promise<void> {
    const node = this.#record.state.marks.at(-1)?.node;
    const paths = this.#parts.history?.nodes.find(({ id }) => id === node)?.paths ?? [];
    const tree = await this.#take();
    if (tree !== undefined) this.#record.append({ type: "snapshot", when: "before", tree, paths });
  }

  async #take(): Promise<string | undefined> {
    const snapshots = await this.#open();
    try {
      return await snapshots?.take();
    } catch (thrown) {
      this.#warn(describeError(thrown));
      return undefined;
    }
  }

  #open(): Promise<TreeSnapshots | undefined> {
    this.#snapshots ??= (async () => {
      try {
        return await this.#parts.openSnapshots?.();
      } catch (thrown) {
        this.#problem = describeError(thrown);
        this.#warn(this.#problem);
        return undefined;
      }
    })();
    return this.#snapshots;
  }

  async #why(): Promise<string> {
    await this.#open();
    return this.#problem;
  }

  /** Only for a user who can still decide. */
  #warn(problem: string): void {
    if (this.#parts.user) this.#notice(`what commands change cannot be undone with a rewind: ${problem}`);
  }
}

/** Whether something ran that the checkpoint store does not follow. */
function ranCommands(entries: readonly TranscriptEntry[]): boolean {
  return entries.some(
    (entry) =>
      entry.kind === "tool" &&
      entry.sent !== undefined &&
      entry.fault?.reason !== "policy" &&
      (COMMAND_TOOLS.has(entry.name) || entry.name.includes("__")),
  );
}
