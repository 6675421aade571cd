import { type Run, workspaceLogs } from "../../boot/internal.ts";
import { type CommandSpec, CWD, JSON_OUTPUT } from "../../launch/internal.ts";
import { showJsonLine, suggestion } from "../../screen/index.ts";
import { showLogEntry } from "../../servers/log/index.ts";
import { type FollowRequest, followFlags, followLines, readFollow } from "../follow-lines.ts";

interface LogRequest extends FollowRequest {
  /** Absent: all servers. */
  readonly server?: string | undefined;
  readonly json: boolean;
}

export const MCP_LOG: CommandSpec<LogRequest> = {
  name: "mcp log",
  group: "repair",
  operands: "[SERVER]",
  summary:
    "Show what the servers of this folder wrote to standard error, the messages exchanged with them, and their state changes. Arguments and results are not logged.",
  flags: [
    ...followFlags("lines", "new lines"),
    { ...JSON_OUTPUT, describe: "Print one JSON object per line." },
    CWD,
  ],
  examples: ["indus mcp log notes", "indus mcp log --follow"],
  read: (flags) => {
    const [server, surplus] = [...flags.operands, ...flags.afterEnd];
    if (surplus !== undefined)
      return { problem: `mcp log takes one server, not also ${JSON.stringify(surplus)}` };
    return {
      server,
      ...readFollow(flags),
      json: flags.has("--json"),
    };
  },
};

/** `indus mcp log`: shows the log of one server, or of all servers of the folder. Starts nothing. */
export async function mcpLog(run: Run, { server, lines, follow, json }: LogRequest): Promise<number> {
  const { terminal, signal, report } = run;
  const logs = await workspaceLogs(run);
  const next = follow ? logs.follow(server) : undefined;
  const entries = logs.read({ last: lines, ...(server === undefined ? {} : { server }) });
  if (entries.length === 0 && !follow) {
    report(await emptyMessage(logs.servers(), server));
    return server === undefined ? 0 : 1;
  }
  const print = (shown: typeof entries): void => {
    const options = { ...terminal.outLook, withServer: server === undefined };
    for (const entry of shown) terminal.out(json ? showJsonLine(entry) : showLogEntry(entry, options));
  };
  print(entries);
  if (!next) return 0;
  await followLines(() => print(next()), signal);
  return 0;
}

async function emptyMessage(known: readonly string[], server: string | undefined): Promise<string> {
  if (known.length === 0) return "no server was started in this folder yet; indus mcp list starts them";
  const name = server ?? "";
  const hint = await suggestion(name, known, `there are logs for ${known.join(", ")}`);
  return `there is no log for a server named ${JSON.stringify(name)} in this folder; ${hint}`;
}
