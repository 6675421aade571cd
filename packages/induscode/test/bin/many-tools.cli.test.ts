import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { eventually, startIndus, writeConfig } from "./run-indus.ts";
import { gatedRow } from "./scripted-client.ts";

/** Against a hang only. */
const TIMEOUT_MS = 60_000;

interface Answer {
  readonly result?: {
    readonly tools?: readonly { readonly name: string }[];
    readonly content?: readonly { readonly text?: string }[];
    readonly isError?: boolean;
  };
}

/** A client of the legacy era over HTTP, under this name. */
async function connectNamed(
  url: string,
  name: string,
): Promise<(method: string, params?: object) => Promise<Answer>> {
  let session: string | null = null;
  const post = async (body: object): Promise<string> => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(session === null ? {} : { "mcp-session-id": session, "mcp-protocol-version": "2025-06-18" }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...body }),
    });
    session = response.headers.get("mcp-session-id") ?? session;
    return response.text();
  };
  const clientInfo = { name, version: "1" };
  await post({
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
  });
  await post({ method: "notifications/initialized" });
  return async (method, params = {}) => {
    const text = await post({ id: 1, method, params });
    const [, data = text] = /^data: (\{.*"id":1[,}].*)$/m.exec(text) ?? [];
    return JSON.parse(data) as Answer;
  };
}

const namesIn = ({ result }: Answer): string[] => result?.tools?.map(({ name }) => name) ?? [];
const textIn = ({ result }: Answer): string => result?.content?.[0]?.text ?? "";

verifies(
  "economy:serve",
  "--tools auto: one gateway gives Cursor the search and Claude Code all tools, behind one policy",
  async () => {
    await using dir = await tempDir();
    const file = await writeConfig(dir.at("servers.json"), { s: gatedRow("--count", "60") });
    using indus = startIndus(
      ["serve", "--port", "0", "--tools", "auto", "--deny", "s__t7", "--profile", "none", "--mcp", file],
      { cwd: dir.path, env: { XDG_STATE_HOME: dir.at("state") } },
    );
    const url = await eventually(() => /^http\S+/m.exec(indus.out())?.[0], TIMEOUT_MS);
    const whole = await connectNamed(url, "claude-code");
    const cursor = await connectNamed(url, "cursor-vscode");
    expect(namesIn(await whole("tools/list"))).toHaveLength(59);
    expect(namesIn(await cursor("tools/list"))).toEqual(["tool_search", "tool_describe", "tool_call"]);
    const call = (name: string, given: object) => cursor("tools/call", { name, arguments: given });
    expect(textIn(await call("tool_search", { query: "t5" }))).toContain("s__t5()");
    expect(textIn(await call("tool_call", { name: "s__t5", arguments: {} }))).toBe("called t5");
    expect(textIn(await call("tool_search", { query: "t7" }))).not.toContain("s__t7");
    expect((await call("tool_call", { name: "s__t7" })).result).toMatchObject({ isError: true });
    // A tool that was used is listed for the next request.
    expect(namesIn(await cursor("tools/list"))).toContain("s__t5");
    const line =
      /^indus: lists 59 tools: about [\d,]+ tokens in each request \(estimate\); a client .*--tools auto\)$/m;
    await eventually(() => line.exec(indus.err()) ?? undefined, TIMEOUT_MS);
  },
  { timeoutMs: TIMEOUT_MS },
);
