// The client the conformance suite drives: a program on `indusagi/interop` and nothing else.
// It gets the server's address as its last argument and does what an agent would: connect, list, call everything.
import {
  checkSkillFile,
  createServerEndpoint,
  type QuestionAnswerer,
  type RawResult,
  type RemoteTool,
  type ServerEndpoint,
  type SkillEntry,
} from "indusagi/interop";
import type { Question } from "indusagi/runtime";
import { type LoginContext, loginFor } from "./login.ts";

const url = process.argv.at(-1) ?? "";
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as LoginContext & {
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: unknown }[];
};

/** Accepts every form with its defaults, and plays a model that says hello. */
const answers: QuestionAnswerer = {
  can: { elicit: { form: true }, sample: {}, roots: true },
  ask: async (requests) =>
    Object.fromEntries(Object.entries(requests).map(([key, question]) => [key, answerTo(question)])),
};

function answerTo({ method, params }: Question): object {
  switch (method) {
    case "elicitation/create":
      return { action: "accept", content: defaultsOf(params?.["requestedSchema"]) };
    case "sampling/createMessage":
      return {
        role: "assistant",
        model: "none",
        content: { type: "text", text: "hello" },
        stopReason: "endTurn",
      };
    case "roots/list":
      return { roots: [{ uri: "file:///", name: "root" }] };
  }
}

function defaultsOf(schema: unknown): Record<string, unknown> {
  const { properties = {} } = (schema ?? {}) as {
    readonly properties?: {
      readonly [name: string]: { readonly default?: unknown; readonly type?: unknown };
    };
  };
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, property.default ?? sampleOf(property)]),
  );
}

/** Something that fits a schema, well enough for a test server. */
function sampleOf(schema: {
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly properties?: unknown;
}): unknown {
  if (Array.isArray(schema.enum)) return schema.enum[0];
  switch (schema.type) {
    case "number":
    case "integer":
      return 1;
    case "boolean":
      return true;
    case "array":
      return [];
    case "object":
      return defaultsOf(schema);
    default:
      return "text";
  }
}

/**
 * One connection for each request: on a busy machine the suite closes an unused one before we notice, and the next request would
 * get no answer.
 */
const unshared: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set("connection", "close");
  return fetch(input, { ...init, headers });
};

/** The suite starts all scenarios at the same time and has a time limit of its own. */
const PATIENT = { connectMs: 170_000, listMs: 170_000, callMs: 170_000 };

const endpoint = createServerEndpoint(
  { kind: "streamable-http", id: "suite", url, onMismatch: "fail", timeouts: PATIENT },
  undefined,
  {
    answers,
    fetch: unshared,
    ...(scenario.startsWith("auth/") ? { auth: await loginFor(scenario, url, context) } : {}),
  },
);
try {
  await endpoint.open();
  await endpoint.listTools();
  await Promise.all(
    (await callsFor(endpoint)).map(({ name, arguments: args }) => endpoint.invoke(name, args)),
  );
  if (scenario === "http-standard-headers") await readEverythingElse(endpoint);
  if (scenario.startsWith("sep-2640-")) await useSkills(endpoint);
} finally {
  await endpoint.close();
}

async function callsFor(
  server: ServerEndpoint,
): Promise<readonly { readonly name: string; readonly arguments: unknown }[]> {
  if (context.toolCalls) return context.toolCalls;
  const tools = await server.listTools();
  const focal = tools.find((tool) => tool.ref.name !== "json_schema_echo");
  return tools.map((tool) => ({ name: tool.ref.name, arguments: argumentsOf(tool, focal) }));
}

function argumentsOf(tool: RemoteTool, focal: RemoteTool | undefined): unknown {
  if (tool.ref.name === "json_schema_echo") return { schema: focal?.definition["inputSchema"] };
  return defaultsOf(tool.definition["inputSchema"]);
}

async function readEverythingElse(server: ServerEndpoint): Promise<void> {
  const session = server.session();
  const { resources = [] } = (await session.request("resources/list")) as {
    readonly resources?: readonly { readonly uri: string }[];
  };
  for (const { uri } of resources) await session.request("resources/read", { uri });
  const { prompts = [] } = (await session.request("prompts/list")) as {
    readonly prompts?: readonly { readonly name: string }[];
  };
  for (const { name } of prompts) await session.request("prompts/get", { name });
}

/** Lists the skills; where files are verified, loads each as an agent would: `SKILL.md` first, the others only if it is as promised. */
async function useSkills(server: ServerEndpoint): Promise<void> {
  const session = server.session();
  const { skills } = (await session.request("skills/list")) as { readonly skills: readonly SkillEntry[] };
  if (scenario === "sep-2640-client-no-prefetch") return;
  for (const skill of skills) {
    const files = skill.resources === "dynamic" ? [] : skill.resources.map(({ uri }) => uri);
    for (const uri of new Set([skill.uri, ...files])) {
      const result = (await session.request("resources/read", { uri })) as RawResult;
      await checkSkillFile(skill, uri, result);
    }
  }
}
