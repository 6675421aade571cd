import { existsSync } from "node:fs";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { calling, printRun } from "../commands/session/print-run.ts";
import { eventually, scriptedRow, startIndus, writeConfig } from "./run-indus.ts";

type Message = { readonly [member: string]: unknown };

/** A program that drives a session. */
function drive(words: readonly string[], options: Parameters<typeof startIndus>[1]) {
  const indus = startIndus(["--rpc", ...words], options);
  let count = 0;
  const messages = (): readonly Message[] =>
    indus
      .out()
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Message);
  const found = (test: (message: Message) => boolean): Promise<Message> =>
    eventually(() => messages().find(test), 60_000).catch(() => {
      throw new Error(`not answered:\n${indus.out()}\n${indus.err()}`);
    });
  const call = async (method: string, params: object = {}): Promise<Message> => {
    const id = ++count;
    indus.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return found((message) => message["id"] === id);
  };
  /** The newest notification of a kind, once there are `number` of them. */
  const told = async (method: string, number = 1): Promise<Message> => {
    await found(() => messages().filter((message) => message["method"] === method).length >= number);
    return messages().findLast((message) => message["method"] === method)?.["params"] as Message;
  };
  return { indus, call, told, found, messages };
}

verifies(
  "link:session",
  "one program: approvals, plan mode, rewind, abort, questions of servers, errors, and the end of the input",
  async () => {
    await using test = await printRun([
      calling(["write", { path: "a.txt", content: "one\n" }]),
      { text: "Written." },
      calling(["write", { path: "b.txt", content: "two\n" }]),
      { text: "Refused." },
      { text: "This answer hangs in the middle of it", hangAfter: 0.7 },
      calling(["s__ask", {}], ["s__sample", {}]),
      { text: "Hi from the model." },
      { text: "All answered." },
      { text: "This summary hangs in the middle of it", hangAfter: 0.5 },
    ]);
    const file = await writeConfig(test.at("servers.json"), {
      s: scriptedRow("--era", "legacy"),
      gone: { command: test.at("no-such-program") },
    });
    const link = drive(["--mcp", file, "--allow", "s__*", "--tools", "s__ask,s__sample"], {
      cwd: test.project,
      env: test.env,
    });
    using indus = link.indus;
    expect(await link.told("ready")).toMatchObject({ cwd: test.project, mode: "default" });
    expect(await link.told("notice")).toMatchObject({
      message: expect.stringMatching(/^server "gone" failed: /),
    });

    const written = link.call("prompt", { text: "Write." });
    const asked = await link.told("approval");
    expect(asked).toMatchObject({ tool: "write", preview: { kind: "diff", isNew: true } });
    expect(await link.call("prompt", { text: "Too early." })).toMatchObject({ error: { code: -32000 } });
    expect(await link.call("approve", { id: "q99", decision: "once" })).toMatchObject({
      error: { code: -32602 },
    });
    const wrong = { id: asked["id"], decision: "always", rule: "write(" };
    expect(await link.call("approve", wrong)).toMatchObject({ error: { code: -32602 } });
    expect(await link.call("approve", { id: asked["id"], decision: "once" })).toMatchObject({ result: {} });
    expect(await written).toMatchObject({ result: { reason: "stop", steps: 2 } });
    expect(test.read("a.txt")).toBe("one\n");
    expect(link.messages()).toContainEqual({
      jsonrpc: "2.0",
      method: "event",
      params: expect.objectContaining({ kind: "text_delta" }),
    });

    expect(await link.call("mode", { mode: "plan" })).toMatchObject({ result: { mode: "plan" } });
    expect(await link.call("prompt", { text: "Write more." })).toMatchObject({ result: { reason: "stop" } });
    expect(existsSync(`${test.project}/b.txt`)).toBe(false);
    await link.call("mode", { mode: "default" });
    const turns = (await link.call("turns"))["result"] as { readonly turns: readonly Message[] };
    expect(turns.turns.map(({ turn }) => turn)).toEqual([1, 2]);
    expect(await link.call("rewind", { turn: 1, target: "files" })).toMatchObject({ result: { done: true } });
    expect(existsSync(`${test.project}/a.txt`)).toBe(false);

    const hanging = link.call("prompt", { text: "Hang." });
    await link.found((message) => JSON.stringify(message).includes("the mid"));
    expect(await link.call("abort")).toMatchObject({ result: { aborted: true } });
    expect(await hanging).toMatchObject({ result: { reason: "aborted" } });
    expect(await link.call("abort")).toMatchObject({ result: { aborted: false } });

    const answered = link.call("prompt", { text: "Ask." });
    const form = await link.told("form");
    expect(form).toMatchObject({ message: "Your name?" });
    await link.call("answer", { id: form["id"], action: "accept", content: { name: "Ada" } });
    const sampling = await link.told("sampling");
    await link.call("answer", { id: sampling["id"], action: "accept" });
    expect(await answered).toMatchObject({ result: { reason: "stop" } });
    const last = JSON.stringify(test.server.requests.at(-1));
    expect(last).toContain("Ada");
    expect(last).toContain("Hi from the model.");

    const shortened = link.call("compact");
    await eventually(() => test.server.requests.length === 9 || undefined, 60_000);
    expect(await link.call("abort")).toMatchObject({ result: { aborted: true } });
    expect(await shortened).toMatchObject({ error: { code: -32000 } });

    indus.child.stdin.write("nonsense\n");
    await link.found(({ error }) => (error as { readonly code?: number } | undefined)?.code === -32700);
    // A line of 40 MiB: the session goes on after it.
    for (let sent = 0; sent < 5; sent += 1) indus.child.stdin.write(Buffer.alloc(8 * 1024 * 1024, "x"));
    indus.child.stdin.write("\n");
    const tooLong = { code: -32700, message: "the line is longer than 33554432 bytes, and was not read" };
    await link.found(({ id, error }) => id === null && Object(error).message === tooLong.message);
    expect(link.messages().filter(({ id }) => id === null)).toMatchObject([{}, { error: tooLong }]);
    expect(await link.call("promt")).toMatchObject({
      error: { code: -32601, message: expect.stringContaining("did you mean prompt?") },
    });
    // A notification gets no answer.
    indus.child.stdin.write('{"jsonrpc":"2.0","method":"promt"}\n');
    expect(await link.told("notice", 2)).toMatchObject({
      message: expect.stringMatching(/^promt: there is no/),
    });
    expect(link.messages().filter(({ error }) => error && Object(error).code === -32601)).toHaveLength(1);
    expect(await link.call("prompt", { text: " " })).toMatchObject({ error: { code: -32602 } });
    expect(await link.call("rewind", { turn: "one" })).toMatchObject({ error: { code: -32602 } });
    expect(await link.call("model", { model: "nobody/x" })).toMatchObject({ error: { code: -32000 } });
    for (const method of ["context", "tools", "servers", "transcript"])
      expect(await link.call(method)).toMatchObject({ result: expect.anything() });
    indus.child.stdin.end();
    expect(await indus.ended).toBe(0);
    expect(indus.err()).toMatch(/^indus: server "gone" failed: .*\n$/);
  },
  { timeoutMs: 240_000 },
);
