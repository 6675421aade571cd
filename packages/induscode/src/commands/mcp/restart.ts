import { describeError, isRecord } from "indusagi/core";
import type { Run } from "../../boot/internal.ts";
import { makeLink, SESSION_HEADER } from "../../console/internal.ts";
import { type CommandSpec, CWD } from "../../launch/internal.ts";
import { findConsole } from "../client/console.ts";

interface RestartRequest {
  readonly name: string;
}

export const MCP_RESTART: CommandSpec<RestartRequest> = {
  name: "mcp restart",
  group: "repair",
  operands: "SERVER",
  summary: "Restart a server of this folder's running gateway, or of indus up. Its clients stay connected.",
  flags: [CWD],
  examples: ["indus mcp restart files"],
  read: (flags) => {
    const [name, surplus] = [...flags.operands, ...flags.afterEnd];
    if (name === undefined) return { problem: "mcp restart needs the name of a server" };
    if (surplus !== undefined)
      return { problem: `mcp restart takes one server, not also ${JSON.stringify(surplus)}` };
    return { name };
  },
};

/** A restart waits for the server to be ready, or to fail. */
const ANSWER_MS = 60_000;

/** `indus mcp restart`: asks the running gateway as its console does, with a link for one use. */
export async function restartServer(run: Run, { name }: RestartRequest): Promise<number> {
  const gateway = await findConsole(run);
  if (!gateway) return 1;
  const { url: address, id, state, folder } = gateway;
  const query = folder === undefined ? "" : `?folder=${folder}`;
  const ask = async (
    method: "POST" | "DELETE",
    path: string,
    { key, body }: { readonly key?: string; readonly body?: object } = {},
  ): Promise<{ readonly [member: string]: unknown }> => {
    const answer = await fetch(new URL(path, address), {
      method,
      headers: {
        origin: address.origin,
        ...(key !== undefined && { [SESSION_HEADER]: key }),
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const said: unknown = await answer.json();
    if (answer.ok && isRecord(said)) return said;
    const error = isRecord(said) && isRecord(said["error"]) ? said["error"] : {};
    const { message = `it answered with status ${answer.status}` } = error as { readonly message?: string };
    throw new Error(message);
  };
  try {
    const { key } = await ask("POST", "/console/session", { body: { code: makeLink(state, id) } });
    const session = { key: String(key) };
    try {
      await ask("POST", `/console/servers/${encodeURIComponent(name)}/restart${query}`, session);
    } finally {
      await ask("DELETE", "/console/session", session);
    }
    run.terminal.out(`restarted server ${JSON.stringify(name)}\n`);
    return 0;
  } catch (thrown) {
    run.report(`the gateway did not restart it: ${describeError(thrown)}`);
    return 1;
  }
}
