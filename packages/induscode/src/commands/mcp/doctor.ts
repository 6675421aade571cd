import { relative } from "node:path";
import type { LoginStatus, ServerConfig } from "indusagi/interop";
import { estimateToolTokens } from "indusagi/llm";
import { economizedTools, listCost, type ToolBox } from "indusagi/runtime";
import { findGateways } from "../../background/internal.ts";
import { firstOf, productVersion, type Run } from "../../boot/internal.ts";
import { type CommandSpec, JSON_OUTPUT, SERVER_FLAGS } from "../../launch/internal.ts";
import { type ShownToolCost, showJson } from "../../screen/index.ts";
import { waitingLine } from "../../screen/terminal/index.ts";
import {
  doctorCode,
  type Examination,
  examineMachine,
  examineServer,
  type Finding,
  showCheckup,
  showLogin,
  showWaiting,
} from "../../servers/doctor/index.ts";
import { type FoundServer, findServers, machineFacts, openServers } from "../../servers/internal.ts";
import type { OpenServers } from "../../servers/open/index.ts";
import { chosenServers, loginsOf, type NamedServers, readNamedServers } from "./start-servers.ts";

export const MCP_DOCTOR: CommandSpec<NamedServers> = {
  name: "mcp doctor",
  group: "repair",
  operands: "[SERVER …]",
  summary:
    "Start the configured servers, or only those named, and explain what is wrong and how to fix it. Exits with 1 if a server failed, 3 for errors in files, 4 for unapproved servers, 5 for missing logins.",
  flags: [JSON_OUTPUT, ...SERVER_FLAGS],
  examples: ["indus mcp doctor", "indus mcp doctor notes --json"],
  read: readNamedServers,
};

/** `indus mcp doctor`: starts each server once, and explains what is wrong and how to fix it. */
export async function mcpDoctor(run: Run, { sources, names, json }: NamedServers): Promise<number> {
  const { terminal, signal } = run;
  const config: Finding[] = [];
  const found = await findServers(run, sources, {
    withoutRequired: true,
    report: (what, severity) => config.push({ health: severity === "warning" ? "warning" : "problem", what }),
  });
  const isEmpty = !found || found.configs.length === 0;
  const configs =
    isEmpty && names.length === 0 ? [] : found && (await chosenServers(found, names, run.report));
  if (!configs && found) return 2;
  const reports: string[] = [];
  const servers = await openServers(run, {
    servers: configs ?? [],
    supervision: false,
    report: (message) => void reports.push(message),
  });
  const waiting = waitingLine(run, (ms) => {
    const pending = (configs ?? []).flatMap(({ id }) => (servers.timesMs.has(id) ? [] : [id]));
    return showWaiting(pending, ms, terminal.errLook?.width);
  });
  await firstOf([servers.settled], { signal });
  await servers.listed(signal);
  waiting.stop();
  if (signal.aborted) return 1;
  const machine = [
    ...examineMachine(await machineFacts(run)),
    ...(await sharingFindings(run, configs ?? [])),
  ];
  const examined = examineServers(found?.servers ?? [], servers, {
    reports,
    logins: await loginsOf(run, configs ?? []),
  });
  const exitCode = doctorCode({ machine, config, servers: examined });
  const tools = servers.box.descriptors();
  const checkup = {
    version: productVersion(),
    machine,
    config,
    servers: examined,
    ...(tools.length > 0 ? { cost: costOf(servers.box) } : {}),
  };
  // What `indus serve` would list is known only if every server was examined.
  const configured = names.length > 0 ? found?.configs.length : undefined;
  terminal.out(
    json ? showJson({ exitCode, ...checkup }) : showCheckup({ ...checkup, configured }, terminal.outLook),
  );
  return exitCode;
}

/** What the user's background gateway could save, as far as it concerns these servers. Empty without one. */
async function sharingFindings(run: Run, configs: readonly ServerConfig[]): Promise<Finding[]> {
  const gateways = (await findGateways(run.env)).flatMap(({ report, isOurs }) =>
    report && isOurs ? [report] : [],
  );
  return gateways.flatMap(({ pid, clients, savings }) => [
    {
      health: "ok" as const,
      what: `your background gateway runs (process ${pid}, ${clients.length} clients)`,
    },
    ...savings
      .filter(({ server }) => configs.some(({ id }) => id === server))
      .map(({ server, folders }) => ({
        health: "note" as const,
        what: `server ${JSON.stringify(server)} runs once in each of ${folders} folders`,
        remedy: `if it keeps nothing for a folder, add "share": "user" to its row, and it runs once for all`,
      })),
  ]);
}

type Logins = ReadonlyMap<string, LoginStatus>;

/** The cost of listing all tools, and of listing search tools instead. */
function costOf(box: ToolBox): ShownToolCost {
  const all = box.descriptors();
  const tokens = listCost(all);
  return {
    mode: "all",
    tools: all.length,
    tokens,
    listed: all.length,
    listedTokens: tokens,
    searchTokens: listCost(economizedTools(all)),
  };
}

/** `reports`: messages about servers and tools from their start. */
function examineServers(
  rows: readonly FoundServer[],
  servers: OpenServers,
  { reports, logins }: { readonly reports: readonly string[]; readonly logins: Logins },
): readonly Examination[] {
  const tools = servers.box.descriptors();
  return servers.statuses().flatMap((status) => {
    const { server } = status;
    const endpoint = servers.fleet.endpoint(server);
    const row = rows.find(
      ({ config }) => config.id === server && config.pending === endpoint?.config.pending,
    );
    const used = row ?? rows.find(({ config }) => config.id === server);
    if (!used) return [];
    const own = tools.filter(({ origin }) => origin?.server === server);
    const ms = servers.timesMs.get(server);
    const login = logins.get(server);
    const report = examineServer({
      config: used.config,
      origin: placeOf(used),
      trust: used.trust,
      status,
      tokens: own.reduce((sum, tool) => sum + estimateToolTokens(tool), 0),
      reports: reports.filter((line) => line.includes(JSON.stringify(server))),
      ...(ms === undefined ? {} : { ms: Math.round(ms) }),
      ...(login === undefined ? {} : { login: showLogin(login) }),
    });
    return [report];
  });
}

/** The file and line of a row, or the flag that named the server. */
function placeOf({ origin: { file = "", line } }: FoundServer): string {
  if (file.startsWith("-")) return file;
  const near = relative("", file);
  return `${near === "" || near.startsWith("..") ? file : near}:${line}`;
}
