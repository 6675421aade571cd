import {
  type DefinedTool,
  diffTools,
  forCall,
  type SessionContext,
  standardBudget,
  unavailableFs,
  unavailableShell,
} from "../../capabilities/index.ts";
import { Listeners } from "../../core/index.ts";
import type { ToolDescriptor } from "../../llm/index.ts";
import { type ToolBox, type ToolBoxChange, unknownToolOutcome } from "../../runtime/index.ts";
import type { RemoteTool, ServerFleet } from "../contract/index.ts";
import { isSameDefinition } from "../endpoint/index.ts";
import { mountedTool } from "./mounted-tool.ts";

export interface BridgeBoxOptions {
  /** Names that belong to others, e.g. the native tools'. */
  readonly reserved?: ReadonlySet<string>;
  /** Hears of a tool that could not be offered. */
  readonly report?: (message: string) => void;
}

/** Remote tools have no business on this machine: the context they run in has no file system and no shell. */
function inertSession(): SessionContext {
  return {
    contextId: "bridge",
    cwd: "/",
    fs: unavailableFs,
    shell: unavailableShell,
    budget: standardBudget(),
    framework: {},
  };
}

/** A fleet's tools as one box. It follows the fleet: what changes there changes here, as a difference. */
export function bridgeBox(fleet: ServerFleet, options: BridgeBoxOptions = {}): ToolBox {
  const session = inertSession();
  const changes = new Listeners<ToolBoxChange>();
  let tools = new Map<string, DefinedTool>();
  let descriptors: readonly ToolDescriptor[] = Object.freeze([]);

  const refresh = (): void => {
    const before = tools;
    tools = graft(fleet, before, options);
    const change = diffTools(before, tools);
    if (!change) return;
    descriptors = Object.freeze([...tools.values()].map((tool) => tool.descriptor()));
    changes.emit(change);
  };
  refresh();
  fleet.onChange(refresh);

  return {
    descriptors: () => descriptors,
    onChange: (listener) => changes.add(listener),
    runner: {
      run: async (call, signal, caller) => {
        const tool = tools.get(call.name);
        return tool
          ? tool.invoke(call, forCall(session, call, signal, caller))
          : unknownToolOutcome(call.id, call.name);
      },
    },
  };
}

/** The table from wire names to tools. A tool that is the same as before keeps its object, and so its descriptor. */
function graft(
  fleet: ServerFleet,
  before: ReadonlyMap<string, DefinedTool>,
  { reserved, report }: BridgeBoxOptions,
): Map<string, DefinedTool> {
  const remote = fleet.endpoints().flatMap(({ config }) => fleet.catalogue(config.id));
  const grafted = new Map<string, DefinedTool>();
  for (const tool of inOrderOfIdentity(remote)) {
    const { name } = tool.descriptor;
    if (reserved?.has(name) || grafted.has(name)) {
      report?.(
        `tool ${JSON.stringify(tool.ref.name)} of server "${tool.ref.server}" is not offered: the name ${name} is taken`,
      );
      continue;
    }
    const old = before.get(name);
    grafted.set(name, old && isSameTool(old.descriptor(), tool.descriptor) ? old : mountedTool(fleet, tool));
  }
  // Back in configuration order: whoever reads the list expects the order of the configuration.
  return new Map(
    remote.flatMap(({ descriptor: { name } }) => {
      const tool = grafted.get(name);
      return tool ? [[name, tool] as const] : [];
    }),
  );
}

/** Of two that clash the later by identity gives way, whoever was connected first. */
function inOrderOfIdentity(tools: readonly RemoteTool[]): RemoteTool[] {
  const identity = ({ ref }: RemoteTool): string => `${ref.server}\0${ref.name}`;
  return [...tools].sort((a, b) => (identity(a) < identity(b) ? -1 : 1));
}

function isSameTool(a: ToolDescriptor, b: ToolDescriptor): boolean {
  return (
    a === b ||
    (a.origin?.tool === b.origin?.tool &&
      a.origin?.server === b.origin?.server &&
      isSameDefinition(a.definition, b.definition))
  );
}
