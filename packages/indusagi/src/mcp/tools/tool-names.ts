import { joinToolName } from "../../interop/naming/index.ts";
import { NATIVE_NAMES } from "../../runtime/internal.ts";

/** The name of a minted tool: `server_tool`, or its hashed form (see `joinToolName`). Never a native tool's name. */
export function mintedToolName(server: string, tool: string, limit = 64): string {
  return joinToolName(
    { server, name: tool },
    { separator: "_", limit, isReserved: (name) => RESERVED.has(folded(name)) },
  );
}

/** Models confuse names that differ only in case or separators, so such names count as the same. */
const folded = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, "");

const RESERVED: ReadonlySet<string> = new Set(NATIVE_NAMES.map(folded));
