import { createHash } from "node:crypto";
import type { Answer, WireSession } from "../wire/session.ts";
import { call, callTool } from "./calls.ts";
import { HELLO_AND_LISTS } from "./every-plan.ts";
import { ask, HELLO, list, listAll, PROMPTS, RESOURCES, TOOLS } from "./requests.ts";
import type { Feature, Json, Plan, Step } from "./step.ts";
import {
  cancelTask,
  listTasks,
  otherMethods,
  plainCall,
  task,
  taskNotes,
  taskWithPage,
  undeclaredTasks,
  unknownTask,
} from "./tasks.ts";

const META = "io.modelcontextprotocol/";
/** What a client of all extensions declares, in both eras; one of them is known to nobody. */
const DECLARED = {
  [`${META}ui`]: { mimeTypes: ["text/html;profile=mcp-app"] },
  [`${META}tasks`]: {},
  [`${META}skills`]: {},
  "example.test/echo": { level: 1 },
};

const TRACE = {
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  tracestate: "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7",
  baggage: "userId=alice",
};

const SKILL = "skill://atlas/route-map";

const apps = (tool: string, args: Json = {}): Step => call(tool, args, { feature: "apps" });
const read = (uri: string, feature: Feature): Step => ask(`read ${uri}`, feature, "resources/read", { uri });

/** Everything that `test/servers/extensions.mjs` offers to a client that declares all extensions. */
export const extensionsPlan: Plan = {
  extensions: DECLARED,
  steps: [
    ...HELLO_AND_LISTS,
    call("declared", {}, { feature: "extensions" }),
    ask("method of an unknown extension", "extensions", "example.test/echo", { text: "hi 東京" }),
    call("needs_ui", {}, { feature: "extensions" }),
    ...traceSteps(),
    apps("chart"),
    apps("zoom", { by: 3 }),
    read("ui://charts/view.html", "apps"),
    read("ui://charts/unlisted.html", "apps"),
    pageOfResult("chart"),
    task("job", { text: "東京" }),
    task("job_required"),
    task("job_fails"),
    task("job_breaks"),
    task("job_asks"),
    task("job_asks_two"),
    taskWithPage("job_chart"),
    cancelTask("job_hangs", "stopped"),
    taskNotes("job", { text: "told" }),
    listTasks("job"),
    unknownTask,
    otherMethods,
    plainCall("job"),
    plainCall("job_required"),
    plainCall("job_asks"),
    list({ method: "skills/list", member: "skills" }, "skills"),
    ask("skills/get", "skills", "skills/get", { uri: `${SKILL}/SKILL.md` }),
    ask("skills/get, in no list", "skills", "skills/get", { uri: "skill://atlas/unlisted/SKILL.md" }),
    ask("skills/get, unknown", "skills", "skills/get", { uri: "skill://atlas/no-such/SKILL.md" }),
    skillFiles(),
    folder(SKILL),
    folder(`${SKILL}/references`),
    ...["server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list"].map(
      (method) => hint(method),
    ),
    hint("resources/read", { uri: "ui://charts/view.html" }),
    hint("skills/list"),
    hint("skills/get", { uri: `${SKILL}/SKILL.md` }),
  ],
};

/** The same server for a client that declares no extension. */
export const undeclaredPlan: Plan = {
  steps: [
    ...HELLO,
    gatedTools(),
    list(RESOURCES),
    list(PROMPTS),
    call("declared", {}, { feature: "extensions" }),
    call("needs_ui", {}, { feature: "extensions" }),
    apps("chart"),
    apps("zoom", { by: 3 }),
    plainCall("job"),
    plainCall("job_required"),
    undeclaredTasks,
  ],
};

/** What a server gets of the trace context of a call, a read and a prompt. */
function traceSteps(): readonly Step[] {
  const feature = "extensions";
  return [
    call("trace", {}, { feature, meta: TRACE, id: "trace context of a call" }),
    {
      id: "trace context of a read",
      feature,
      run: (session) => session.request("resources/read", { uri: "ext://trace" }, { meta: TRACE }),
    },
    {
      id: "trace context of a prompt",
      feature,
      run: (session, names) =>
        session.request("prompts/get", { name: names.spell("traced") }, { meta: TRACE }),
    },
  ];
}

/** Reads the page that only the result of a tool names, in both spellings. */
function pageOfResult(tool: string): Step {
  return {
    id: `page of result ${tool}`,
    feature: "apps",
    run: async (session, names) => {
      const { result } = (await callTool(session, names.spell(tool))) as { readonly result?: Json };
      const { ui, "ui/resourceUri": flat } = (result?.["_meta"] ?? {}) as {
        readonly ui?: { readonly resourceUri?: string };
        readonly "ui/resourceUri"?: string;
      };
      const pages: Answer[] = [];
      for (const uri of [ui?.resourceUri, flat]) pages.push(await session.request("resources/read", { uri }));
      return pages;
    },
  };
}

/** The tools that a client is offered, by name, because some may be missing. */
function gatedTools(): Step {
  return {
    id: "tools without extensions",
    feature: "extensions",
    run: async (session, names) => {
      const { tools = [] } = (await listAll(session, names, TOOLS)) as { readonly tools?: readonly Json[] };
      return Object.fromEntries(tools.map(({ name, ...definition }) => [String(name), definition]));
    },
  };
}

/** Reads each file that an entry names and compares it with its size and digest. */
function skillFiles(): Step {
  return {
    id: "files of a skill",
    feature: "skills",
    run: async (session) => {
      const got = await session.request("skills/get", { uri: `${SKILL}/SKILL.md` });
      const { resources = [] } = ("result" in got ? got.result["skill"] : {}) as {
        readonly resources?: readonly {
          readonly uri: string;
          readonly digest: string;
          readonly size: number;
        }[];
      };
      const files: object[] = [];
      for (const { uri, digest, size } of resources) {
        const answer = await session.request("resources/read", { uri });
        const bytes = bytesIn(answer);
        const isDigest = digest === `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
        files.push({ ...answer, isDigest, isSize: size === bytes.length });
      }
      return files;
    },
  };
}

function bytesIn(answer: Answer): Buffer {
  const contents = "result" in answer ? answer.result["contents"] : undefined;
  const [{ text, blob } = {}] = (contents ?? []) as readonly { text?: string; blob?: string }[];
  return blob === undefined ? Buffer.from(text ?? "") : Buffer.from(blob, "base64");
}

function folder(uri: string): Step {
  return ask(`folder ${uri}`, "skills", "resources/directory/read", { uri });
}

/**
 * How long an answer may be used, as far as it can be the same through a gateway, which states the time that is left: whether it is
 * stated, whether any is left, and for whom it is.
 */
function hint(method: string, params: Json = {}): Step {
  return {
    id: `hint of ${method}`,
    feature: "hints",
    run: async (session) => {
      const answer = await hinted(session, method, params);
      if (!("result" in answer)) return answer;
      const { ttlMs, cacheScope } = answer.result;
      if (ttlMs === undefined && cacheScope === undefined) return {};
      const isWithin = Number.isSafeInteger(ttlMs) && Number(ttlMs) >= 0 && Number(ttlMs) <= HOUR_MS;
      return { ttlMs: isWithin ? (ttlMs === 0 ? "none" : "some") : ttlMs, cacheScope };
    },
  };
}

const HOUR_MS = 3_600_000;

/** The first answer of a client is that to its greeting. */
async function hinted(session: WireSession, method: string, params: Json): Promise<Answer> {
  return method === "server/discover" ? { result: session.hello } : session.request(method, params);
}
