import type { RemoteTool } from "../../interop/index.ts";
import type { MCPConnectionOptions } from "../contract/index.ts";
import type { ClientCore } from "./client-core.ts";

/** Lists the tools of a client's server that its options select. */
export function listRemoteTools(core: ClientCore): Promise<readonly RemoteTool[]> {
  return core.use(async (ready) => {
    try {
      const tools = await ready.endpoint.listTools();
      ready.hasListed = true;
      return tools.filter(({ ref }) => isListed(ref.name, core.options));
    } catch (thrown) {
      throw core.translate(thrown, { site: "list" });
    }
  });
}

function isListed(name: string, { includeTools, excludeTools }: MCPConnectionOptions): boolean {
  return !excludeTools?.includes(name) && (includeTools?.includes(name) ?? true);
}
