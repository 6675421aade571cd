import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { parseServerConfig } from "indusagi/config";
import { expect } from "vitest";
import { CLIENTS, type ClientServer, clientById, readClient } from "../../../src/servers/clients/index.ts";
import { FIXTURE_WORLD, readFixture } from "./client-fixtures.ts";

/** What each client's files hold, as `scope name: row in our form`. */
const EXPECTED: { readonly [client: string]: { readonly [server: string]: object | string } } = {
  "claude-desktop": {
    "user filesystem": {
      command: "npx",
      args: ["-y", "@modelcontextprotocol/server-filesystem", "/home/me/Desktop"],
    },
    // This client expands no variables, so the text is meant literally.
    "user brave-search": {
      command: "npx",
      args: ["-y", "@modelcontextprotocol/server-brave-search"],
      env: { BRAVE_API_KEY: "BSA$${literal}" },
    },
  },
  "claude-code": {
    "user sentry": { type: "http", url: "https://mcp.sentry.dev/mcp" },
    "user postgres": { command: "npx", args: ["-y", "@bytebase/dbhub", "--dsn", "${DATABASE_URL}"] },
    "local linear": { type: "sse", url: "https://mcp.linear.app/sse", headers: { "X-Team": "${TEAM:-web}" } },
    "project api-server": {
      type: "http",
      url: "${API_BASE_URL:-https://api.example.com}/mcp",
      headers: { Authorization: "Bearer ${API_KEY}" },
    },
  },
  cursor: {
    "user context7": {
      url: "https://mcp.context7.com/mcp",
      headers: { CONTEXT7_API_KEY: "${env:CONTEXT7_API_KEY}" },
    },
    "user python-tools": {
      command: "python",
      args: ["${userHome}/tools/server.py"],
      envFile: "${userHome}/.env",
    },
    "project db": {
      command: "node",
      args: ["./db-server.mjs"],
      cwd: "/home/me/site/tools",
      envFile: "/home/me/site/.env",
    },
  },
  vscode: {
    "user github": {
      type: "http",
      url: "https://api.githubcopilot.com/mcp/",
      headers: { Authorization: "Bearer ${input:github_token}", "X-Region": "${input:region}" },
    },
    "user playwright": { command: "npx", args: ["@playwright/mcp@latest"] },
    "user fetch": { command: "uvx", args: ["mcp-server-fetch"] },
    "project local": { command: "${workspaceFolder}/bin/server", envFile: "${workspaceFolder}/.env" },
    "project docs": "which is not a known variable",
  },
  windsurf: {
    "user remote-http": {
      url: "https://mcp.example.com/mcp",
      headers: { Authorization: "Bearer ${env:AUTH_TOKEN}" },
    },
    "user github": {
      command: "docker",
      args: ["run", "-i", "--rm", "-e", "GITHUB_PERSONAL_ACCESS_TOKEN", "ghcr.io/github/github-mcp-server"],
      env: { GITHUB_PERSONAL_ACCESS_TOKEN: "ghp_x" },
      excludeTools: ["delete_repository"],
      enabled: false,
    },
  },
  codex: {
    "user context7": {
      command: "npx",
      args: ["-y", "@upstash/context7-mcp"],
      env: { CONTEXT7_API_KEY: "${CONTEXT7_API_KEY}", MY_ENV_VAR: "MY_ENV_VALUE" },
      timeouts: { connectMs: 20_000 },
    },
    "user figma": {
      url: "https://mcp.figma.com/mcp",
      headers: {
        "X-Figma-Region": "us-east-1",
        "X-Org": "${FIGMA_ORG}",
        Authorization: "Bearer ${FIGMA_OAUTH_TOKEN}",
      },
      includeTools: ["get_code", "get_image"],
      excludeTools: ["create_file"],
      timeouts: { callMs: 45_500 },
    },
    "user chrome devtools": { command: "npx", args: ["chrome-devtools-mcp@latest"], enabled: false },
    "project build": { command: "make", args: ["mcp"], cwd: "/home/me/site" },
  },
  gemini: {
    "user pythonTools": {
      command: "python",
      args: ["-m", "my_mcp_server", "--port", "8080"],
      cwd: "/home/me/.gemini/mcp-servers/python",
      env: { DATABASE_URL: "${DB_CONNECTION_STRING}", API_KEY: "${EXTERNAL_API_KEY}" },
      timeout: 15_000,
    },
    "user httpServer": {
      type: "http",
      url: "http://localhost:3000/mcp",
      headers: { Authorization: "Bearer your-api-token" },
      includeTools: ["safe_tool"],
      excludeTools: ["unsafe_tool"],
    },
    "user old": { url: "http://localhost:8080/sse", enabled: false },
  },
  zed: {
    "user local-mcp-server": { command: "some-command", args: ["arg-1", "arg-2"] },
    "user older": { command: "/usr/bin/older", args: ["--stdio"], env: { A: "b" } },
    "user remote-mcp-server": {
      url: "https://mcp.example.com/mcp",
      headers: { Authorization: "Bearer <token>" },
    },
    "user mcp-server-github": "is started by an extension of Zed",
  },
  opencode: {
    "user my-local-mcp-server": {
      command: "npx",
      args: ["-y", "my-mcp-command"],
      env: { MY_ENV_VAR: "${env:MY_SECRET}" },
      timeouts: { listMs: 10_000 },
    },
    "user jira": {
      url: "https://jira.example.com/mcp",
      headers: { Authorization: "Bearer ${env:JIRA_TOKEN}" },
      enabled: false,
    },
    "user notes": "uses {file:…}",
    "project site": { command: "bun", args: ["run", "mcp.ts"] },
  },
};

for (const client of CLIENTS)
  verifies("clients:read", `the published forms of ${client.title} are read, with their origin`, async () => {
    const files = await readClient(client, FIXTURE_WORLD, readFixture);
    const servers = files.flatMap((file) => file.servers);
    const found = servers.map((server) => [`${server.scope} ${server.name}`, server] as const);
    const expected = EXPECTED[client.id] ?? {};
    expect(found.map(([name]) => name).toSorted()).toEqual(Object.keys(expected).toSorted());
    for (const [name, server] of found) {
      const wanted = expected[name];
      if (typeof wanted === "string") expect(server.problem, name).toContain(wanted);
      else expect(server, name).toMatchObject({ row: wanted });
      if (typeof wanted === "object")
        expect([name, server.row, server.problem]).toEqual([name, wanted, undefined]);
      expect(server.file.startsWith("/home/me/")).toBe(true);
      if (server.problem === undefined) expect(parsesAsOurs(server), name).toBe(true);
    }
  });

/** Whether our own parser reads the row, without a warning about a member. */
function parsesAsOurs({ name, row }: ClientServer): boolean {
  const text = JSON.stringify({ servers: { [name]: { ...row, enabled: false } } });
  const { servers, diagnostics } = parseServerConfig(text);
  return servers.length === 1 && diagnostics.length === 0;
}

verifies("clients:read", "questions of VS Code and members without effect are reported", async () => {
  const [user] = await readClient(known("vscode"), FIXTURE_WORLD, readFixture);
  expect(user?.inputs).toEqual([
    { id: "github_token", description: "GitHub Personal Access Token", isSecret: true },
    { id: "region", description: "Region", isSecret: false, default: "eu", options: ["eu", "us"] },
  ]);
  expect(user?.servers[0]?.inputs).toEqual(["github_token", "region"]);
  const opencode = await readClient(known("opencode"), FIXTURE_WORLD, readFixture);
  const jira = opencode.flatMap((file) => file.servers).find(({ name }) => name === "jira");
  expect(jira?.notes).toEqual(['"oauth" has no effect here']);
});

verifies("clients:read", "a file that is the user's and the project's at once is read once", async () => {
  const atHome = { ...FIXTURE_WORLD, cwd: FIXTURE_WORLD.home };
  const files = await readClient(known("codex"), atHome, readFixture);
  expect(files.map(({ scope, servers }) => [scope, servers.length])).toEqual([["user", 3]]);
});

verifies("clients:read", "our own gateway in a client's file is recognised", async () => {
  const row = { command: "/usr/bin/node", args: ["/opt/induscode/bin/indus.js", "serve", "--stdio"] };
  const texts = {
    cursor: JSON.stringify({ mcpServers: { indus: row, other: { command: "indus-like", args: ["serve"] } } }),
    opencode: JSON.stringify({ mcp: { indus: { type: "local", command: ["indus", "serve", "--stdio"] } } }),
  };
  for (const [id, text] of Object.entries(texts)) {
    const [file] = await readClient(known(id), FIXTURE_WORLD, () => ({ text }));
    expect(file?.servers.map(({ isGateway }) => isGateway)).toEqual(id === "cursor" ? [true, false] : [true]);
  }
});

verifies(
  "clients:bad-input",
  "whatever a file contains, reading it returns, and the reason shows no content",
  async () => {
    const secret = "sk-secret";
    const broken = { toml: `a = "${secret}\nb = [`, json: `{ "mcpServers": { "a": "${secret}` };
    for (const client of CLIENTS) {
      const files = await readClient(client, FIXTURE_WORLD, () => ({ text: broken[client.format] }));
      expect(files[0]?.state).toBe("unusable");
      expect(files[0]?.problem).toMatch(/^is not valid (TOML|JSON).*\(line \d\)$/);
      expect(files[0]?.problem).not.toContain(secret);
      const odd = await readClient(client, FIXTURE_WORLD, () => ({
        problem: "is not a regular file; use another path",
      }));
      expect(odd[0]).toMatchObject({ state: "unusable", servers: [] });
    }
    const row = fc.jsonValue({ maxDepth: 3 });
    const members = fc.dictionary(
      fc.constantFrom("command", "args", "env", "url", "type", "cwd", "headers", "__proto__", "enabled"),
      row,
    );
    const anything = fc.asyncProperty(
      fc.constantFrom(...CLIENTS.filter(({ format }) => format === "json")),
      fc.oneof(row, fc.dictionary(fc.string(), fc.oneof(row, members))),
      async (client, rows) => {
        const { container } = client.places(FIXTURE_WORLD)[0] ?? { container: [] };
        const value = container.reduceRight<unknown>((inner, step) => ({ [step]: inner }), rows);
        const [file] = await readClient(client, FIXTURE_WORLD, () => ({ text: JSON.stringify(value) }));
        for (const server of file?.servers ?? [])
          expect(server.problem !== undefined || server.written !== undefined).toBe(true);
      },
    );
    await fc.assert(anything, { numRuns: 100 });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  },
);

function known(id: string): (typeof CLIENTS)[number] {
  const client = clientById(id);
  if (!client) throw new Error(`no client ${id}`);
  return client;
}
