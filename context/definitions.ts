import { join } from "node:path";
import { wireName } from "indusagi/interop";
import type { ToolDescriptor } from "indusagi/llm";
import { observeDirect } from "../fleet/compare/direct.ts";
import { isFailure, type Observed, type ToolDefinition } from "../fleet/compare/observation.ts";
import { inParallel } from "../fleet/in-parallel.ts";
import { keptResults } from "../fleet/kept-results.ts";
import type { Scratch } from "../fleet/scratch.ts";
import type { FleetServer } from "../fleet/server-list.ts";

export interface DefinitionOptions {
  readonly scratch: Scratch;
  readonly mark: string;
  readonly print: (line: string) => void;
}

const AT_ONCE = 2;

/**
 * The tools of all servers as the official client gets them. What `npm run fleet` has kept is used; other servers are started
 * once, and their tools are kept for the next run.
 */
export async function toolsOf(
  servers: readonly FleetServer[],
  { scratch, mark, print }: DefinitionOptions,
): Promise<readonly ToolDescriptor[]> {
  const kept = keptResults(scratch.at("results"), { resume: true });
  const found = new Map<string, readonly ToolDescriptor[]>();
  await inParallel(servers, AT_ONCE, async (server) => {
    const observe = async (nth: number): Promise<Observed> =>
      observeDirect(server, { scratch, mark: `${mark}-${server.name}-${nth}.` });
    // The same name and key as in the comparison, so that either run finds what the other kept.
    const [observed] = await kept.of(
      join("direct", server.name),
      [server, process.version],
      async () => [await observe(1), await observe(2)] as const,
    );
    if (isFailure(observed)) print(`${server.name}: ${observed.failure}`);
    else
      found.set(
        server.name,
        observed.tools.map((tool) => descriptorOf(server.name, tool)),
      );
  });
  return servers.flatMap(({ name }) => found.get(name) ?? []);
}

function descriptorOf(server: string, definition: ToolDefinition): ToolDescriptor {
  const { name, title, description, inputSchema } = definition as ToolDefinition & {
    readonly title?: string;
    readonly description?: string;
    readonly inputSchema?: ToolDescriptor["parameters"];
  };
  return {
    name: wireName({ server, name }),
    description: description ?? "",
    parameters: inputSchema ?? { type: "object" },
    origin: { server, tool: name },
    definition,
    ...(title === undefined ? {} : { title }),
  };
}
