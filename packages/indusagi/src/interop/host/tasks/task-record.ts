import type { RawResult } from "../../contract/index.ts";
import { RpcCode, RpcFailure } from "../../wire/index.ts";

const PER_OWNER = 256;
const TOTAL = 4_096;
const PAGE = 50;

interface RecordedTask {
  readonly owner: string;
  /** Its last known state, as a legacy client gets it. */
  readonly task: RawResult;
}

/**
 * The tasks that were handed out to legacy clients, which may list them. A server cannot be asked for the list: on a connection that
 * several principals share it has the tasks of all of them. The oldest are forgotten; they can still be asked about.
 */
export class TaskRecord {
  /** By the id that the client uses. */
  readonly #tasks = new Map<string, RecordedTask>();

  /** Adds a task, or renews its state. */
  note(owner: string, id: string, task: RawResult): void {
    const isNew = !this.#tasks.has(id);
    this.#tasks.set(id, { owner, task });
    if (!isNew) return;
    const own = this.#idsOf(owner);
    const [oldest] = own.length > PER_OWNER ? own : this.#tasks.size > TOTAL ? this.#tasks.keys() : [];
    if (oldest !== undefined) this.#tasks.delete(oldest);
  }

  forget(id: string): void {
    this.#tasks.delete(id);
  }

  /** One page of the tasks of an owner, oldest first. `next`: the cursor of the next one. */
  page(
    owner: string,
    cursor: string | undefined,
  ): { readonly tasks: readonly (readonly [id: string, task: RawResult])[]; readonly next?: string } {
    const ids = this.#idsOf(owner);
    // A cursor is the last id of a page.
    const after = cursor === undefined ? 0 : ids.indexOf(cursor) + 1;
    if (cursor !== undefined && after === 0)
      throw new RpcFailure(
        RpcCode.INVALID_PARAMS,
        "the cursor is not valid, or no longer; list from the start",
      );
    const page = ids.slice(after, after + PAGE);
    const last = page.at(-1);
    return {
      tasks: page.map((id) => [id, this.#tasks.get(id)?.task ?? {}] as const),
      ...(last !== undefined && after + PAGE < ids.length && { next: last }),
    };
  }

  #idsOf(owner: string): string[] {
    return [...this.#tasks].filter(([, task]) => task.owner === owner).map(([id]) => id);
  }
}
