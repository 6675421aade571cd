import { shellWord } from "../../../core/index.ts";
import { ProtocolFault, type ServerConfig } from "../../contract/index.ts";

/** The fault of a server that is not approved; `undefined` if it may be started. */
export function untrustedServer({
  id: server,
  pending,
}: Pick<ServerConfig, "id" | "pending">): ProtocolFault | undefined {
  if (!pending) return undefined;
  const why = "comes with a project and is not approved, so it is not started";
  const message = `server "${server}" ${why}; to approve it, run: indus mcp trust ${shellWord(server)} (in a program: trustProject)`;
  return new ProtocolFault("not_connected", message, { server, reason: "untrusted", retrySafe: true });
}
