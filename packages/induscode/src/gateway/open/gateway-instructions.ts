import {
  composeInstructions,
  type EndpointStatus,
  type HostClient,
  type InstructionTexts,
  type RelayScope,
  type ServerInstructions,
} from "indusagi/interop";
import { serverReport } from "../../servers/doctor/index.ts";
import type { OpenServers } from "../../servers/open/index.ts";

const OWN =
  "Indus connects you with these MCP servers. A tool of a server is named SERVER__TOOL. Each quoted text is by the server above it.";
/** How long a digest is cached. A server's status change clears it earlier. */
const KEPT_MS = 1_000;

type Servers = Pick<OpenServers, "configs" | "fleet" | "introductionOf">;

/** The approved instructions of all servers that may be started. */
export function instructionTexts(servers: Servers): InstructionTexts {
  const approvedOf = (server: string): string | undefined => servers.introductionOf(server)?.instructions;
  return {
    servers: () => startedRows(servers).filter((server) => approvedOf(server) !== undefined),
    textOf: (server) => (startedRows(servers).includes(server) ? approvedOf(server) : undefined),
  };
}

/** The instructions for a client that sees many servers: a digest of theirs, from an earlier run if they are not running yet. */
export function instructionDigest(
  servers: Servers,
  keeps: RelayScope["keeps"] = () => true,
): (client: HostClient) => string | undefined {
  // Cached: without sessions, every request asks for them.
  const digests = new Map<string, { readonly text: string | undefined; readonly madeMs: number }>();
  servers.fleet.onStatus(() => digests.clear());
  return (client) => {
    const { principal = "" } = client;
    const known = digests.get(principal);
    if (known && performance.now() - known.madeMs < KEPT_MS) return known.text;
    const caller = { ...client, can: {} };
    const seen = startedRows(servers).filter((server) => keeps(server, caller));
    const statuses = servers.fleet.status();
    const contributions = seen.map((server) => contributionOf(servers, server, statuses.get(server)));
    const text = seen.length > 0 ? composeInstructions(contributions, { own: OWN }) : undefined;
    digests.set(principal, { text, madeMs: performance.now() });
    return text;
  };
}

/** Disabled and unapproved servers contribute no instructions. */
function startedRows({ configs }: Servers): readonly string[] {
  return configs().flatMap(({ id, enabled = true, pending = false }) => (enabled && !pending ? [id] : []));
}

function contributionOf(
  { fleet, introductionOf }: Servers,
  server: string,
  status: EndpointStatus | undefined,
): ServerInstructions {
  const report = status && serverReport(status);
  if (report?.isDown || report?.needsUser) return { server, summary: "not available now" };
  const text = introductionOf(server)?.instructions;
  const tools = fleet.catalogue(server).length;
  return {
    server,
    ...(tools > 0 && { summary: tools === 1 ? "1 tool" : `${tools} tools` }),
    ...(text !== undefined && { text }),
  };
}
