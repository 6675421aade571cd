import { verifies } from "@indus/testkit";
import { expect } from "vitest";

/** The values each subpath exports, by literal: adding a name is a decision, and this is where it is taken. */
const PINS: { readonly [subpath: string]: readonly string[] } = {
  "indusagi/core": [
    "BlockedAddressError",
    "CoreError",
    "SpawnError",
    "TreeInputError",
    "backoffMs",
    "bytesHash",
    "canonicalJson",
    "contentHash",
    "createManualClock",
    "createSingleFlight",
    "createUlidMinter",
    "describeError",
    "errorCode",
    "escapeForDisplay",
    "guardedLookup",
    "isPublicAddress",
    "isoTime",
    "mintUlid",
    "nowMs",
    "onAbort",
    "plainLookup",
    "protectionLevel",
    "requirePublicAddresses",
    "safeEnvironment",
    "startTree",
    "systemClock",
    "untilAborted",
  ],
  "indusagi/llm": ["SCHEMA_BUDGET", "projectName", "projectSchema", "schemaBudgetProblem"],
  "indusagi/runtime": [
    "abortedOutcome",
    "answeredOutcome",
    "failureResult",
    "faultOutcome",
    "foldContent",
    "jsonResult",
    "mcpBlock",
    "textResult",
    "unknownToolOutcome",
  ],
  "indusagi/capabilities": [
    "FsError",
    "MODIFIED_SINCE_READ",
    "MUTATING_NAMES",
    "NOT_READ_YET",
    "READ_ONLY_NAMES",
    "ToolRegistry",
    "UnknownCollectionError",
    "UnknownToolError",
    "bashTool",
    "builtinRegistry",
    "clamp",
    "coerceInput",
    "createChangeListeners",
    "createReadState",
    "defineTool",
    "diffTools",
    "duckDuckGo",
    "editTool",
    "failureResult",
    "findTool",
    "fitInput",
    "forCall",
    "givenSignal",
    "grepTool",
    "isLocalFs",
    "jsonResult",
    "localFs",
    "localShell",
    "lsTool",
    "makeLocalContext",
    "processTool",
    "readTool",
    "searxng",
    "standardBudget",
    "textResult",
    "todoReadTool",
    "todoSetTool",
    "toolBox",
    "unavailableFs",
    "unavailableShell",
    "webFetchTool",
    "webSearchTool",
    "withSignal",
    "writeTool",
  ],
  "indusagi/interop": [
    "CLIENT_NAME",
    "CLIENT_VERSION",
    "FaultKind",
    "ProtocolFault",
    "QUALIFIER",
    "ServerConfig",
    "ServerEndpointImpl",
    "ServerFleetImpl",
    "createEraMemory",
    "createServerEndpoint",
    "isProtocolFault",
    "isTerminalPhase",
    "isUsablePhase",
    "linkedTransports",
    "mountProtocolBridge",
    "normalizeSchema",
    "protocolFault",
    "qualifyToolName",
    "startServerFleet",
    "wireName",
  ],
  "induscode/launch": ["parseArguments"],
  "induscode/boot": ["processTerminal", "productVersion"],
};

/** Where each subpath is, relative to the root; the same paths the exports maps give under the source condition. */
const pathOf = (subpath: string): string => {
  const [name = "", room = ""] = subpath.split("/");
  return `../packages/${name}/src/${room}/index.ts`;
};

for (const [subpath, names] of Object.entries(PINS)) {
  verifies("house:exports", `${subpath} exports exactly the pinned names`, async () => {
    const module = (await import(pathOf(subpath))) as object;
    expect(Object.keys(module).sort()).toEqual(names);
  });
}

verifies("house:exports", "every subpath of both packages is pinned", async () => {
  const subpaths = await Promise.all(
    ["indusagi", "induscode"].map(async (name) => {
      const manifest = (await import(`../packages/${name}/package.json`, { with: { type: "json" } })) as {
        readonly default: { readonly exports: object };
      };
      return Object.keys(manifest.default.exports).map((subpath) => subpath.replace(".", name));
    }),
  );
  expect(
    subpaths
      .flat()
      .filter((subpath) => !subpath.endsWith("package.json"))
      .toSorted(),
  ).toEqual(Object.keys(PINS).toSorted());
});
