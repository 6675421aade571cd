import type { ServerConfig } from "indusagi/interop";
import type { FoundServers, Run } from "../../boot/internal.ts";
import { suggestion } from "../../screen/index.ts";

const NOTHING = "no servers are configured; add one with indus mcp add, or name a file with --mcp";

/** The servers with these names, or all if there are no names. Reports, and returns nothing, if there is none. */
export async function chosenServers(
  { configs, given, reason }: FoundServers,
  names: readonly string[],
  report: Run["report"],
): Promise<readonly ServerConfig[] | undefined> {
  if (configs.length === 0) {
    const none = given === undefined ? NOTHING : `${given}: no servers; add one under "mcpServers"`;
    report(reason ?? none);
    return undefined;
  }
  const ids = configs.map(({ id }) => id);
  const unknown = names.find((name) => !ids.includes(name));
  if (unknown === undefined)
    return names.length === 0 ? configs : configs.filter(({ id }) => names.includes(id));
  const hint = await suggestion(unknown, ids, `the servers are ${ids.join(", ")}`);
  const where = given === undefined ? "" : `${given}: `;
  report(`${where}there is no server named ${JSON.stringify(unknown)}; ${hint}`);
  return undefined;
}
