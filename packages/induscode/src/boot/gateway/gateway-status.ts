import { type StatusBox, type StatusBoxOptions, statusBox } from "../../gateway/index.ts";
import type { OpenServers } from "../servers/open-servers.ts";
import type { GatewayRun } from "./gateway-options.ts";
import type { RowProblems } from "./row-problems.ts";

export interface GatewayStatusOptions extends Pick<StatusBoxOptions, "allows"> {
  readonly servers: OpenServers;
  readonly rowProblems: RowProblems;
}

/** The tool that tells clients about servers that need the attention of the user. */
export function gatewayStatus(
  { cwd }: Pick<GatewayRun, "cwd">,
  { servers, rowProblems, allows }: GatewayStatusOptions,
): StatusBox {
  return statusBox(servers.fleet, {
    allows,
    // A client often starts us in a folder that its user does not know.
    cwd,
    withheldPrompts: (server) => servers.withheldPrompts(server),
    leftOutItems: (server) => servers.leftOutItems.of(server),
    rowProblem: (server) => rowProblems.of(server),
    onReview: (listener) => {
      servers.onWithheldPrompts(listener);
      servers.leftOutItems.onChange(listener);
      rowProblems.onChange(listener);
    },
  });
}
