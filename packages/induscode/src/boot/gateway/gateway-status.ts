import type { ToolBox } from "indusagi/runtime";
import { type StatusBoxOptions, statusBox } from "../../gateway/index.ts";
import type { OpenServers } from "../servers/open-servers.ts";
import type { GatewayRun } from "./gateway-options.ts";

/** The tool that tells clients about servers that need the attention of the user. */
export function gatewayStatus(
  { cwd }: Pick<GatewayRun, "cwd">,
  servers: OpenServers,
  allows: StatusBoxOptions["allows"],
): ToolBox {
  return statusBox(servers.fleet, {
    allows,
    // A client often starts us in a folder that its user does not know.
    cwd,
    withheldPrompts: (server) => servers.withheldPrompts(server),
    onReview: (listener) => servers.onWithheldPrompts(listener),
  });
}
