import type { WireSession } from "../wire/session.ts";
import type { Feature, Json, Names, Step } from "./step.ts";

/** A list and the member of its result that holds the items. */
export interface ListName {
  readonly method: string;
  readonly member: string;
}

export const TOOLS: ListName = { method: "tools/list", member: "tools" };
export const PROMPTS: ListName = { method: "prompts/list", member: "prompts" };
export const RESOURCES: ListName = { method: "resources/list", member: "resources" };
export const TEMPLATES: ListName = { method: "resources/templates/list", member: "resourceTemplates" };

/** All pages of a list. */
export function list(name: ListName, feature: Feature = "lists"): Step {
  return { id: name.method, feature, run: (session, names) => listAll(session, names, name) };
}

const MAX_ITEMS = 10_000;

/** The items of all pages, with the server's own names. */
export async function listAll(
  session: WireSession,
  names: Names,
  { method, member }: ListName,
): Promise<object> {
  const all: unknown[] = [];
  let cursor: unknown;
  do {
    const answer = await session.request(method, cursor === undefined ? {} : { cursor });
    const page = "result" in answer ? answer.result[member] : undefined;
    if (!("result" in answer) || !Array.isArray(page)) return answer;
    all.push(...(page as unknown[]));
    cursor = answer.result["nextCursor"];
  } while (cursor !== undefined && all.length < MAX_ITEMS);
  return { [member]: all.flatMap((item) => ownItem(item as Json, member, names)) };
}

/** The item under the server's own name. Nothing for an item of the gateway itself. */
function ownItem({ name, ...rest }: Json, member: string, names: Names): readonly object[] {
  if (member !== "tools" && member !== "prompts")
    return names.isGateways(String(rest["uri"])) ? [] : [{ name, ...rest }];
  const own = names.own(String(name));
  return own === undefined ? [] : [{ name: own, ...rest }];
}

/** A request whose answer is all there is to see. */
export function ask(id: string, feature: Feature, method: string, params: Json = {}): Step {
  return { id, feature, run: (session) => session.request(method, params) };
}

export function read(uri: string, feature: Feature = "resources"): Step {
  return ask(`read ${uri}`, feature, "resources/read", { uri });
}

/** Reads what the result of a tool links to, by the name in that result. */
export function readLink(tool: string): Step {
  return {
    id: `link of ${tool}`,
    feature: "resources",
    run: async (session, names) => {
      const answer = await session.request("tools/call", { name: names.spell(tool), arguments: {} });
      const { content = [] } = ("result" in answer ? answer.result : {}) as {
        readonly content?: readonly Json[];
      };
      const link = content.find(({ type }) => type === "resource_link");
      return session.request("resources/read", { uri: link?.["uri"] });
    },
  };
}

export function prompt(name: string, args?: Json, feature: Feature = "prompts"): Step {
  return {
    id: `prompt ${name}${args ? ` ${JSON.stringify(args)}` : ""}`,
    feature,
    run: (session, names) =>
      session.request("prompts/get", { name: names.spell(name), ...(args ? { arguments: args } : {}) }),
  };
}

export interface Completion {
  readonly prompt?: string;
  readonly template?: string;
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: Json;
}

/** The completion of an argument of a prompt or of a template. */
export function complete({ prompt: name, template, argument, context }: Completion): Step {
  return {
    id: `complete ${name ?? template} ${argument.name}=${argument.value}`,
    feature: "completion",
    run: (session, names) => {
      const ref =
        name === undefined
          ? { type: "ref/resource", uri: template }
          : { type: "ref/prompt", name: names.spell(name) };
      return session.request("completion/complete", { ref, argument, ...(context ? { context } : {}) });
    },
  };
}

/** What a server tells about itself. */
export const HELLO: readonly Step[] = [
  { id: "server info", feature: "initialize", run: async ({ hello, era }) => infoIn(hello, era) },
  { id: "capabilities", feature: "initialize", run: async ({ hello }) => hello["capabilities"] },
  {
    id: "instructions",
    feature: "instructions",
    run: async ({ hello: { instructions } }) => (instructions === undefined ? {} : { instructions }),
  },
];

function infoIn(hello: Json, era: WireSession["era"]): unknown {
  const meta = hello["_meta"] as Json | undefined;
  return era === "modern" ? meta?.["io.modelcontextprotocol/serverInfo"] : hello["serverInfo"];
}
