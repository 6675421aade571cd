import { MARK_VARIABLE } from "../../fleet/scratch.ts";
import { freePort } from "../../test/kit/free-port.ts";
import { conformancePlan } from "../plan/conformance-plan.ts";
import { everythingPlan } from "../plan/everything-plan.ts";
import { extensionsPlan, undeclaredPlan } from "../plan/extensions-plan.ts";
import { featuresPlan } from "../plan/features-plan.ts";
import { scriptedPlan, shelfPlan } from "../plan/small-plans.ts";
import type { Plan } from "../plan/step.ts";
import { inRepository } from "../repository.ts";
import type { Era } from "../wire/session.ts";
import type { StdioTarget, Target, TransportKind } from "../wire/target.ts";
import { startProgram } from "./processes.ts";

/** A server in one era on one transport. It is used directly and through gateways. */
export interface Subject {
  /** For example `features stdio modern`. */
  readonly name: string;
  readonly server: string;
  readonly era: Era;
  readonly transport: TransportKind;
  readonly plan: Plan;
  /** A new instance that was not used before. Over stdio the client itself starts it. */
  start(mark: string): Promise<OpenTarget>;
}

export interface OpenTarget<Kind extends Target = Target> extends AsyncDisposable {
  readonly target: Kind;
}

const node = process.execPath;
const FEATURES = inRepository("test/servers/features/server.mjs");
const FEATURES_SDK = inRepository("test/servers/features/sdk.mjs");
const SCRIPTED = inRepository("test/servers/server.mjs");
const CONFORMANCE = [inRepository("scripts/run-ts.mjs"), inRepository("conformance/server.ts")];
const EXTENSIONS = inRepository("test/servers/extensions.mjs");
const SHELF = inRepository("test/servers/shelf.mjs");
const EVERYTHING = inRepository("node_modules/@modelcontextprotocol/server-everything/dist/index.js");

/** All servers that the harness knows. */
export const SUBJECTS: readonly Subject[] = [
  overStdio("everything", "legacy", everythingPlan, [EVERYTHING, "stdio"]),
  everythingOverHttp("http", "streamableHttp", "/mcp"),
  everythingOverHttp("sse", "sse", "/sse"),
  ...(["legacy", "modern"] as const).flatMap((era) => [
    overStdio("features", era, featuresPlan, [FEATURES, "--era", era]),
    overStdio("features-sdk", era, featuresPlan, [FEATURES_SDK, "stdio", "--era", era]),
    overHttp("features-sdk", era, featuresPlan, [FEATURES_SDK, "http", "--era", era]),
    overStdio("scripted", era, scriptedPlan, [SCRIPTED, "--era", era]),
    overStdio("extensions", era, extensionsPlan, [EXTENSIONS, "stdio", "--era", era]),
    overStdio("undeclared", era, undeclaredPlan, [EXTENSIONS, "stdio", "--era", era]),
  ]),
  overHttp("extensions", "modern", extensionsPlan, [EXTENSIONS, "http"]),
  overHttp("undeclared", "modern", undeclaredPlan, [EXTENSIONS, "http"]),
  overStdio("shelf", "legacy", shelfPlan, [SHELF]),
  // It serves both eras; a gateway connects in the modern one.
  overHttp("conformance", "modern", conformancePlan, CONFORMANCE),
];

function overStdio(server: string, era: Era, plan: Plan, args: readonly string[]): Subject {
  return {
    ...described(server, "stdio", era),
    plan,
    start: async (mark) => {
      const target: StdioTarget = { kind: "stdio", command: node, args, env: { [MARK_VARIABLE]: mark } };
      return { target, [Symbol.asyncDispose]: async () => {} };
    },
  };
}

function everythingOverHttp(kind: "http" | "sse", mode: string, path: string): Subject {
  return {
    ...described("everything", kind, "legacy"),
    plan: everythingPlan,
    start: async (mark) => {
      const port = await freePort();
      const env = { PORT: String(port) };
      const program = await startProgram([node, EVERYTHING, mode], { mark, env, ready: /port \d+/ });
      return { target: { kind, url: `http://127.0.0.1:${port}${path}` }, ...disposing(program) };
    },
  };
}

/** A server that prints its URL. */
function overHttp(server: string, era: Era, plan: Plan, args: readonly string[]): Subject {
  return {
    ...described(server, "http", era),
    plan,
    start: async (mark) => {
      const program = await startProgram([node, ...args], { mark, ready: /http:\S+/ });
      return { target: { kind: "http", url: program.ready[0] }, ...disposing(program) };
    },
  };
}

function described(
  server: string,
  transport: TransportKind,
  era: Era,
): Pick<Subject, "name" | "server" | "transport" | "era"> {
  return { name: `${server} ${transport} ${era}`, server, transport, era };
}

function disposing(owned: AsyncDisposable): AsyncDisposable {
  return { [Symbol.asyncDispose]: () => Promise.resolve(owned[Symbol.asyncDispose]()) };
}
