import type { RemoteToolRef } from "../contract/index.ts";
import { joinToolName } from "./join-tool-name.ts";
import { QUALIFIER } from "./qualify-tool-name.ts";

/** The name under which a mounted tool is offered: `server__tool`, or its hashed form (see `joinToolName`). */
export function wireName(ref: RemoteToolRef, limit = 64): string {
  return joinToolName(ref, { separator: QUALIFIER, limit });
}
