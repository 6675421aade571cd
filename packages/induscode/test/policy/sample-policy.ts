import type { ToolDescriptor } from "indusagi/llm";
import { answeredOutcome, createTableBox, type TableBox, type TableTool, textResult } from "indusagi/runtime";
import {
  createPolicy,
  type Decision,
  decide,
  type EffectOf,
  type Policy,
  type PolicyOptions,
} from "induscode/policy";

/** A tool of ours, or of a server if its name has `__`. */
export function tool(name: string, annotations: ToolDescriptor["annotations"] = {}): ToolDescriptor {
  const [server, remote] = name.split("__");
  return {
    name,
    description: name,
    parameters: { type: "object" },
    annotations,
    ...(server !== undefined && remote !== undefined ? { origin: { server, tool: remote } } : {}),
  };
}

/** Effects from the annotations and the argument `path`, as the deck finds them for native tools. */
const sampleEffectOf: EffectOf = ({ annotations, origin }, input) => {
  const path = (input as { readonly path?: unknown } | undefined)?.path;
  return {
    readOnly: annotations?.readOnlyHint === true,
    ...(typeof path === "string" && !origin ? { paths: [path] } : {}),
  };
};

export const READ = tool("read", { readOnlyHint: true });
export const WRITE = tool("write");
export const BASH = tool("bash");

export function samplePolicy(options: Partial<PolicyOptions> = {}): Policy {
  return createPolicy({
    cwd: "/project",
    effectOf: sampleEffectOf,
    places: { env: { HOME: "/home/ada" }, platform: "linux" },
    ...options,
  });
}

const decided = (policy: Policy, descriptor: ToolDescriptor, input: unknown): Decision =>
  decide(policy.examine(descriptor, input), policy.rules());

/** `allow by read-only` and the like. */
export function verdictOf(policy: Policy, descriptor: ToolDescriptor, input: unknown): string {
  const { verdict, by } = decided(policy, descriptor, input);
  return `${verdict} by ${by}`;
}

/** A box whose tools answer with their name. `ran` lists the calls. */
export function sampleBox(
  descriptors: readonly ToolDescriptor[],
): TableBox & { readonly ran: string[]; readonly toolsOf: (list: readonly ToolDescriptor[]) => TableTool[] } {
  const ran: string[] = [];
  const toolsOf = (list: readonly ToolDescriptor[]): TableTool[] =>
    list.map((descriptor) => ({
      descriptor,
      run: async ({ id, name }) => {
        ran.push(name);
        return answeredOutcome(id, textResult(name));
      },
    }));
  return { ...createTableBox(toolsOf(descriptors)), ran, toolsOf };
}
