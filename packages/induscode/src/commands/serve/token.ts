import { describeError, escapeForDisplay } from "indusagi/core";
import { type Run, workspaceTokens } from "../../boot/internal.ts";
import {
  type CommandSpec,
  CWD,
  cardNamed,
  type Flag,
  JSON_OUTPUT,
  LISTED_TOOLS,
  orOfCluster,
  readListedTools,
  type ToolsListing,
} from "../../launch/internal.ts";
import { showJson, showTable } from "../../screen/index.ts";
import type { Look } from "../../screen/internal.ts";
import { patternProblems } from "../../servers/internal.ts";

interface AddTokenRequest {
  readonly name: string;
  /** What the token allows. An absent member means no limit. */
  readonly grant: {
    readonly servers?: readonly string[];
    readonly tools?: readonly string[];
    readonly calls?: number;
    readonly listing?: ToolsListing;
    readonly admin?: boolean;
  };
  readonly json: boolean;
}

interface ListTokensRequest {
  readonly json: boolean;
}

interface RevokeTokensRequest {
  /** Names or ids. */
  readonly names: readonly string[];
  readonly json: boolean;
}

const SERVERS: Flag = {
  name: "--servers",
  aliases: [],
  kind: "list",
  value: "SERVERS",
  describe: "Allow only these servers, separated by commas, with their tools, prompts and resources.",
};

const CALLS: Flag = {
  name: "--calls",
  aliases: [],
  kind: "number",
  value: "COUNT",
  describe: "Allow at most this many concurrent calls.",
  accepts: {
    describe: "a whole number from 1 to 10000",
    isValid: (text) => /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 10_000,
  },
};

const ADMIN: Flag = {
  name: "--admin",
  aliases: [],
  kind: "boolean",
  describe:
    "Also allow the console over the network: indus console --url. Its holder sees every call, and may restart servers, approve changes and make tokens.",
  excludes: ["--servers", "--tools"],
};

export const TOKEN_ADD: CommandSpec<AddTokenRequest> = {
  name: "token add",
  group: "team",
  operands: "NAME",
  summary:
    "Make a token for a client of indus serve --port in this folder, and print it. It is shown only once: only its hash is stored. Running gateways accept it immediately.",
  onClusterState: true,
  flags: orOfCluster([
    SERVERS,
    {
      ...LISTED_TOOLS,
      describe:
        "Allow only these tools: names of native tools, and patterns such as notes__* for tools of servers. One of the words all, search, auto and code sets how tools are listed to this client.",
    },
    CALLS,
    ADMIN,
    JSON_OUTPUT,
    CWD,
  ]),
  examples: [
    "indus token add alice",
    "indus token add ci --servers github,notes --tools search --calls 4",
    "indus token add reader --tools 'read,notes__list*'",
  ],
  read: (flags) => {
    const [name, surplus] = [...flags.operands, ...flags.afterEnd];
    if (name === undefined) return { problem: "token add needs a name: who the token is for" };
    if (surplus !== undefined)
      return { problem: `token add takes one name, not also ${JSON.stringify(surplus)}` };
    const words = readListedTools(flags.list("--tools"));
    if ("problem" in words) return words;
    const [servers, calls] = [flags.list("--servers"), flags.number("--calls")];
    return {
      name,
      grant: {
        ...(servers.length > 0 ? { servers } : {}),
        ...(words.names.length > 0 ? { tools: words.names.map(cardNamed) } : {}),
        ...(calls === undefined ? {} : { calls }),
        ...(words.listing === undefined ? {} : { listing: words.listing }),
        ...(flags.has("--admin") ? { admin: true } : {}),
      },
      json: flags.has("--json"),
    };
  },
};

export const TOKEN_LIST: CommandSpec<ListTokensRequest> = {
  name: "token list",
  group: "team",
  summary: "Show the tokens of this folder and what each allows. The tokens themselves are not stored.",
  onClusterState: true,
  flags: orOfCluster([JSON_OUTPUT, CWD]),
  examples: ["indus token list"],
  read: (flags) => ({ json: flags.has("--json") }),
};

export const TOKEN_REVOKE: CommandSpec<RevokeTokensRequest> = {
  name: "token revoke",
  group: "team",
  operands: "NAME …",
  summary: "Revoke tokens. Running gateways end their streams and calls within a few seconds.",
  onClusterState: true,
  flags: orOfCluster([JSON_OUTPUT, CWD]),
  examples: ["indus token revoke alice"],
  read: (flags) => {
    const names = [...flags.operands, ...flags.afterEnd];
    if (names.length === 0) return { problem: "token revoke needs the name or the id of a token" };
    return { names, json: flags.has("--json") };
  },
};

/** `indus token add`: makes a token and prints it, the only time it is shown. */
export async function tokenAdd(run: Run, { name, grant, json }: AddTokenRequest): Promise<number> {
  return withTokens(run, async (tokens) => {
    const { record, token } = await tokens.add(name, grant);
    // Only a warning: the token may be for a server that is added later.
    const uses = (grant.tools ?? []).map((word) => ({ where: `token ${name}:`, word, isGrant: true }));
    const problems = uses.length > 0 ? await patternProblems(run, uses) : [];
    for (const problem of problems) run.report(problem);
    run.terminal.out(json ? showJson({ ...withoutHash(record), token }) : `${token}\n`);
    if (!json)
      run.report(
        `this token for ${name} is not shown again; a client sends it in the header "Authorization: Bearer TOKEN"`,
      );
  });
}

const NO_TOKEN = "there is no token in this folder; indus token add NAME makes one\n";

/** `indus token list`. */
export async function tokenList(run: Run, { json }: ListTokensRequest): Promise<number> {
  return withTokens(run, (tokens) => {
    const shown = tokens.list().map(withoutHash);
    const table = shown.length === 0 ? NO_TOKEN : showTokens(shown, run.terminal.outLook);
    run.terminal.out(json ? showJson({ tokens: shown }) : table);
  });
}

/** `indus token revoke`. */
export async function tokenRevoke(run: Run, { names, json }: RevokeTokensRequest): Promise<number> {
  return withTokens(run, async (tokens) => {
    const revoked = await tokens.revoke(names);
    const shown = revoked.map(({ id, name }) => ({ id, name }));
    run.terminal.out(
      json
        ? showJson({ revoked: shown })
        : shown.map(({ id, name }) => `revoked token ${name} (${id})\n`).join(""),
    );
  });
}

type Kept = ReturnType<Tokens["list"]>[number];

function withoutHash(record: Kept): Omit<Kept, "hash"> {
  const { hash: _hash, ...shown } = record;
  return shown;
}

type Tokens = Awaited<ReturnType<typeof workspaceTokens>>;

async function withTokens(run: Run, step: (tokens: Tokens) => Promise<void> | void): Promise<number> {
  try {
    await step(await workspaceTokens(run));
    return 0;
  } catch (thrown) {
    run.report(describeError(thrown));
    return 1;
  }
}

/** A token without its hash. */
interface ShownToken {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly servers?: readonly string[];
  readonly tools?: readonly string[];
  readonly calls?: number;
  readonly listing?: string;
  readonly admin?: boolean;
}

/** The tokens of a folder as a table: who has one, and what it allows. */
function showTokens(tokens: readonly ShownToken[], look: Look = {}): string {
  const rows = tokens.map(({ name, id, createdAt, calls, listing, servers, tools, admin }) => [
    escapeForDisplay(name),
    escapeForDisplay(id),
    escapeForDisplay(createdAt.slice(0, 10)),
    calls === undefined ? "any" : String(calls),
    listing ?? "-",
    `${allowed(servers, tools)}${admin ? ", and the console" : ""}`,
  ]);
  return showTable([["NAME", "ID", "CREATED", "CALLS", "LISTING", "ALLOWED"], ...rows], look);
}

function allowed(servers: ShownToken["servers"], tools: ShownToken["tools"]): string {
  const parts = [
    ...(servers ? [`servers ${servers.join(", ")}`] : []),
    ...(tools ? [`tools ${tools.join(", ")}`] : []),
  ];
  return parts.length === 0 ? "everything" : escapeForDisplay(parts.join("; "));
}
