import { namedVerdicts, type ServerReport } from "./compare/report.ts";
import type { Verdict } from "./compare/verdict.ts";
import type { Figure } from "./figures/measured.ts";
import type { LeftOutServer } from "./server-list.ts";

/** The result of a whole run. */
export interface FleetRun {
  /** When and where, e.g. `2026-11-16, Node v20.20.2, linux, 2 cores, load 0.1`. */
  readonly where: string;
  readonly servers: readonly ServerReport[];
  readonly figures: readonly Figure[];
  readonly leftOut: readonly LeftOutServer[];
}

/** The page docs/fleet.md. */
export function fleetPage({ where, servers, figures, leftOut }: FleetRun): string {
  return [
    "# Fleet",
    "",
    `Written by \`npm run fleet\` (${where}). It installs the public servers of \`fleet/servers.json\` at pinned versions, uses each twice`,
    "with the official client, then all of them in one mount of the library and through one `indus serve --stdio`, and compares the",
    "definitions of all tools and the answer to one harmless call. *Equal* means the same JSON, byte for byte, after the prefix of the",
    "name and what the modern era adds to every result are removed. *Unsteady* means that two runs of the official client differ from",
    "each other too.",
    "",
    ...summary(servers),
    "",
    ...figureTable(figures),
    ...serverTable(servers),
    ...listed(servers, "different", "## Differences"),
    ...listed(servers, "repaired", "## Repaired for official clients"),
    ...refusals(servers),
    ...unused(servers, leftOut),
  ].join("\n");
}

/** The counts of all servers. */
function summary(servers: readonly ServerReport[]): string[] {
  const started = servers.filter(({ failure }) => failure === undefined);
  const mounted = started.filter(({ mountedMs }) => mountedMs !== undefined);
  const tools = started.reduce((sum, server) => sum + (server.tools ?? 0), 0);
  const way = (label: string, pick: (server: ServerReport) => Verdict): string => {
    const count = (kind: Verdict["kind"]): number =>
      started.filter((server) => pick(server).kind === kind).length;
    const repaired = count("repaired") > 0 ? `${count("repaired")} repaired, ` : "";
    const counts = `${count("equal")} equal, ${count("unsteady")} unsteady, ${repaired}${count("different")} different`;
    return `- ${label}: ${counts}${count("none") > 0 ? `, ${count("none")} not compared` : ""}.`;
  };
  return [
    `- ${servers.length} servers, ${started.length} of which start here with the official client, with ${tools} tools.`,
    `- Mounted: ${mounted.length} of ${started.length}.`,
    way("Definitions, mounted", ({ mounted: { definitions } }) => definitions),
    way("Definitions, served", ({ served: { definitions } }) => definitions),
    way("Calls, mounted", ({ mounted: { call } }) => call),
    way("Calls, served", ({ served: { call } }) => call),
  ];
}

function figureTable(figures: readonly Figure[]): string[] {
  if (figures.length === 0) return [];
  const judged: { readonly [isMet: string]: string } = { true: "met", false: "**missed**" };
  return [
    "## All servers in one configuration",
    "",
    "| figure | measured | target | |",
    "|---|---|---|---|",
    ...figures.map(
      ({ summary, shown, target, isMet }) =>
        `| ${summary} | ${shown ?? "not measured"} | ${target} | ${judged[String(isMet)] ?? ""} |`,
    ),
    "",
  ];
}

function serverTable(servers: readonly ServerReport[]): string[] {
  return [
    "## Servers",
    "",
    "*Alone* is the time from the start to the list of tools with the official client, *fleet* the same while all servers start together.",
    "*Memory* is that of the server's processes (PSS) with the official client.",
    "",
    "| server | package | tools | alone | fleet | memory | definitions | call |",
    "|---|---|---|---|---|---|---|---|",
    ...servers.filter(({ failure }) => failure === undefined).map(serverRow),
    "",
  ];
}

function serverRow(server: ServerReport): string {
  const { name, tools, directMs, mountedMs, memoryMb, mounted, served } = server;
  const cells = [
    name,
    `${server.package} ${server.version}`,
    tools,
    seconds(directMs),
    seconds(mountedMs),
    memoryMb === undefined ? "-" : `${Math.round(memoryMb)} MB`,
    bothWays(mounted.definitions, served.definitions),
    bothWays(mounted.call, served.call),
  ];
  return `| ${cells.join(" | ")} |`;
}

function seconds(ms: number | undefined): string {
  return ms === undefined ? "-" : `${(ms / 1000).toFixed(1)} s`;
}

function bothWays(mounted: Verdict, served: Verdict): string {
  const word = ({ kind }: Verdict): string => (kind === "none" ? "-" : kind);
  return mounted.kind === served.kind ? word(mounted) : `${word(mounted)} (served: ${word(served)})`;
}

function listed(servers: readonly ServerReport[], kind: "different" | "repaired", heading: string): string[] {
  const lines = servers.flatMap((server) =>
    namedVerdicts(server).flatMap(([way, verdict]) =>
      verdict.kind === kind ? [`- ${server.name}, ${way}: ${cell(verdict.why)}`] : [],
    ),
  );
  return lines.length === 0 ? [] : [heading, "", ...lines, ""];
}

function refusals(servers: readonly ServerReport[]): string[] {
  const refused = servers.filter(({ refusal }) => refusal !== undefined);
  if (refused.length === 0) return [];
  return [
    "## Listings that the official client refuses",
    "",
    "The official client connects, and rejects the whole list for the reason below. What it received is compared.",
    "",
    ...refused.map(({ name, refusal = "" }) => `- ${name}: ${cell(refusal)}`),
    "",
  ];
}

function unused(servers: readonly ServerReport[], leftOut: readonly LeftOutServer[]): string[] {
  const failed = servers.filter(({ failure }) => failure !== undefined);
  if (failed.length + leftOut.length === 0) return [];
  return [
    "## Not used",
    "",
    ...failed.map(
      ({ name, failure = "" }) => `- ${name} does not start with the official client: ${cell(failure)}`,
    ),
    ...leftOut.map((server) => `- ${server.package}: ${server.why}`),
    "",
  ];
}

/** Foreign text in one line that Markdown shows as it is. */
function cell(text: string): string {
  const plain = text.replaceAll(/\s+/g, " ").replaceAll("`", "'").trim();
  return `\`${plain}\``;
}
