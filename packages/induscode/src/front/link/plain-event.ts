import { describeError } from "indusagi/core";
import type { SessionEvent } from "../../conductor/index.ts";

/** An event as plain JSON: an error becomes its message, and changed tools their names. */
export function plainEvent(event: SessionEvent): object {
  if (event.kind === "end") {
    const { error, ...rest } = event;
    return error === undefined ? rest : { ...rest, error: describeError(error) };
  }
  if (event.kind !== "tools_changed") return event;
  const { added, changed, removed } = event.change;
  const names = (tools: typeof added): readonly string[] => tools.map(({ name }) => name);
  return { kind: event.kind, added: names(added), changed: names(changed), removed: names(removed) };
}
