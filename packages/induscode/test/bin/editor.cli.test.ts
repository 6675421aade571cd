import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { client, type McpServer, ndJsonStream, type SessionUpdate } from "@agentclientprotocol/sdk";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { calling, type PrintRun, printRun } from "../commands/session/print-run.ts";
import { eventually, indusBin, scriptedRow } from "./run-indus.ts";

type Row = { readonly command: string; readonly args: string[] };

/** An editor: the client side of the protocol's own library, over a real process. */
function openEditor(test: PrintRun, answer: (title: string) => string) {
  const words = [indusBin, "acp", "--allow", "s__*", "--tools", "s__ask"];
  const child = spawn(process.execPath, words, {
    cwd: test.project,
    env: test.env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "close").then(([code]) => code as number | null);
  const updates: SessionUpdate[] = [];
  const asked: string[] = [];
  const connection = client({ name: "test-editor" })
    .onNotification("session/update", ({ params }) => void updates.push(params.update))
    .onRequest("session/request_permission", ({ params }) => {
      const title = params.toolCall.title ?? "";
      asked.push(title);
      const wanted = answer(title);
      const option = params.options.find(({ kind }) => kind === wanted);
      return {
        outcome: option ? { outcome: "selected", optionId: option.optionId } : { outcome: "cancelled" },
      };
    })
    .onRequest("elicitation/create", () => ({ action: "accept", content: { name: "Ada" } }))
    .connect(
      ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>),
    );
  const { agent } = connection;
  const close = (): void => void child.stdin.destroy();
  const initialize = (): Promise<unknown> =>
    agent.request("initialize", { protocolVersion: 1, clientCapabilities: { elicitation: { form: {} } } });
  const prompt = (sessionId: string, text: string): Promise<unknown> =>
    agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  return {
    agent,
    updates,
    asked,
    initialize,
    prompt,
    close,
    ended,
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}

const kinds = (updates: readonly SessionUpdate[]): string[] =>
  updates.map(({ sessionUpdate }) => sessionUpdate);

verifies(
  "acp:session",
  "an editor with its own server: permission with the diff, plan, cancel, mode, elicitation; and the session loaded again",
  async () => {
    await using test = await printRun([
      calling(
        ["todo_set", { items: [{ id: "1", text: "Write it", status: "active" }] }],
        ["write", { path: "a.txt", content: "one\n" }],
      ),
      { text: "Written." },
      calling(["write", { path: "b.txt", content: "two\n" }], ["s__ask", {}]),
      { text: "Refused and asked." },
      { text: "This answer hangs in the middle of it", hangAfter: 0.7 },
    ]);
    using editor = openEditor(test, (title) => (title.includes("a.txt") ? "allow_once" : "reject_once"));
    const { agent, updates, asked, prompt } = editor;
    expect(await editor.initialize()).toMatchObject({
      protocolVersion: 1,
      agentCapabilities: { loadSession: true, mcpCapabilities: { http: true, sse: true } },
    });
    const { command, args } = scriptedRow("--era", "legacy") as Row;
    const { sessionId, modes } = await agent.request("session/new", {
      cwd: test.project,
      // Not in the protocol, but some editors send it.
      mcpServers: [{ type: "stdio", name: "s", command, args, env: [] } as McpServer],
    });
    expect(modes?.availableModes.map(({ id }) => id)).toEqual(["default", "acceptEdits", "plan", "bypass"]);

    expect(await prompt(sessionId, "Write.")).toEqual({ stopReason: "end_turn" });
    expect(test.read("a.txt")).toBe("one\n");
    const file = `${test.project}/a.txt`;
    expect(updates).toContainEqual(
      expect.objectContaining({
        sessionUpdate: "tool_call",
        kind: "edit",
        locations: [{ path: file }],
        content: [{ type: "diff", path: file, oldText: null, newText: "one\n" }],
      }),
    );
    expect(updates).toContainEqual({
      sessionUpdate: "plan",
      entries: [{ content: "Write it", status: "in_progress", priority: "medium" }],
    });
    expect(kinds(updates)).toEqual(
      expect.arrayContaining(["agent_message_chunk", "tool_call_update", "usage_update"]),
    );

    // The next file is refused, and the server of the editor asks its question.
    await prompt(sessionId, "More.");
    expect(existsSync(`${test.project}/b.txt`)).toBe(false);
    expect(asked.map((title) => title.replace(/ \(.*/, ""))).toEqual(["write: a.txt", "write: b.txt"]);
    expect(JSON.stringify(test.server.requests.at(-1))).toContain("Ada");

    await agent.request("session/set_mode", { sessionId, modeId: "plan" });
    expect(updates).toContainEqual({ sessionUpdate: "current_mode_update", currentModeId: "plan" });
    const hanging = prompt(sessionId, "Hang.");
    await eventually(() => JSON.stringify(updates).includes("the mid") || undefined, 60_000);
    await agent.notify("session/cancel", { sessionId });
    expect(await hanging).toEqual({ stopReason: "cancelled" });

    await agent.request("session/close", { sessionId });
    updates.length = 0;
    expect(
      await agent.request("session/load", { sessionId, cwd: test.project, mcpServers: [] }),
    ).toMatchObject({
      modes: { currentModeId: "plan" },
    });
    expect(kinds(updates).slice(0, 3)).toEqual(["user_message_chunk", "tool_call", "plan"]);
    expect(JSON.stringify(updates)).toContain("Written.");

    const refusal = async (request: Promise<unknown>): Promise<string> => {
      const thrown: unknown = await request.catch((error: unknown) => error);
      return thrown instanceof Error ? thrown.message : `answered ${JSON.stringify(thrown)}`;
    };
    expect(await refusal(prompt("nobody", "x"))).toMatch(/not found/i);
    expect(await refusal(agent.request("session/set_mode", { sessionId, modeId: "x" }))).toContain("no mode");
    expect(await refusal(prompt(sessionId, " \n"))).toContain("the prompt is empty");
    const other = { sessionId: "01ARZ3NDEKTSV4RRFFQ69G5FAV", cwd: test.project, mcpServers: [] };
    expect(await refusal(agent.request("session/load", other))).toMatch(/not found/i);
    const missing = { cwd: test.at("nowhere"), mcpServers: [] };
    expect(await refusal(agent.request("session/new", missing))).toContain("is not a folder");
    const relative = { cwd: "relative", mcpServers: [] };
    expect(await refusal(agent.request("session/new", relative))).toContain("not absolute");
    editor.close();
    expect(await editor.ended).toBe(0);
  },
  { timeoutMs: 240_000 },
);
