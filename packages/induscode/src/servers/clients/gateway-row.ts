import type { PlainRow } from "indusagi/config";
import type { Client } from "./client.ts";
import type { FileObject } from "./client-server.ts";

/** The command line of our gateway. */
export interface GatewayLaunch {
  readonly command: string;
  readonly args: readonly string[];
}

/** The name of our row in every client. */
export const GATEWAY_NAME = "indus";

/** On its first start a gateway may have to install the packages of its servers. */
const START_SECONDS = 60;
/** The longest that a call may take if its server has no limit. */
const CALL_SECONDS = 600;

/** The row with which a client starts our gateway, in the client's own form. */
export function gatewayRow({ id }: Client, { command, args }: GatewayLaunch): PlainRow {
  switch (id) {
    case "claude-code":
    case "vscode":
      return { type: "stdio", command, args };
    case "codex":
      // Codex silently continues without a server that is late.
      return {
        command,
        args,
        required: true,
        startup_timeout_sec: START_SECONDS,
        tool_timeout_sec: CALL_SECONDS,
      };
    case "gemini":
      return { command, args, timeout: CALL_SECONDS * 1000 };
    case "zed":
      return { source: "custom", command, args, env: {} };
    case "opencode":
      return { type: "local", command: [command, ...args], enabled: true, timeout: START_SECONDS * 1000 };
    default:
      return { command, args };
  }
}

/** Whether a row starts `indus serve`: importing it would make the gateway start itself. */
export function isGateway({ command, args }: FileObject): boolean {
  const words = [command, ...(Array.isArray(args) ? (args as unknown[]) : [])].flat().map(String);
  const at = words.findIndex((word) => /(^|[\\/])(indus|indusagi)(\.js|\.cmd|\.exe)?$/.test(word));
  return at !== -1 && words.slice(at + 1).includes("serve");
}
