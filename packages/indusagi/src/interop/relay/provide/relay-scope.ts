import { Listeners } from "../../../core/index.ts";
import type { Caller } from "../../../runtime/index.ts";

/** Which part of a fleet clients see. Default: all of it. */
export interface RelayScope {
  /** Only this server, with its own names: no URI and no prompt is renamed. */
  readonly only?: string;
  /** Whether a server is offered to a client. Names do not depend on it: a resource has the same name in every scope. */
  readonly keeps?: (server: string, caller: Caller) => boolean;
  /** Whether every client gets the same lists as this one, so that one answer may serve all. Default: without `keeps`. */
  readonly isSameForAll?: (caller: Caller) => boolean;
  /** Whether a client's list has all tools of its servers, and changes only with them. Default: yes. */
  readonly listsAllTools?: (caller: Caller) => boolean;
  /** The server that gets a client's requests of a method of an extension. Undefined: none does. Default: none. */
  readonly forwards?: (method: string, caller: Caller) => string | undefined;
  /** Calls the listener when `keeps` may answer otherwise. */
  readonly onChange?: (listener: () => void) => void;
}

export function isInScope({ only, keeps }: RelayScope, server: string, caller: Caller): boolean {
  return (only === undefined || server === only) && (keeps?.(server, caller) ?? true);
}

/** Whether every client gets the same as this one. */
export function isSameForAll({ isSameForAll: isSame, keeps }: RelayScope, caller: Caller): boolean {
  return isSame?.(caller) ?? keeps === undefined;
}

/** The changes of a scope, for any number of listeners that come and go. */
export function scopeChanges({ onChange }: RelayScope): Listeners {
  const changes = new Listeners();
  onChange?.(() => changes.emit());
  return changes;
}
