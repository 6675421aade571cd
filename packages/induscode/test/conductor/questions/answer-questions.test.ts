import { pathToFileURL } from "node:url";
import { verifies } from "@indus/testkit";
import type { ModelEvent, ModelRequest } from "indusagi/llm";
import { expect } from "vitest";
import { answerQuestions, type QuestionUser } from "../../../src/conductor/questions/index.ts";

const requests: ModelRequest[] = [];
const session = {
  model: "test/model",
  async *complete(request: ModelRequest): AsyncGenerator<ModelEvent> {
    requests.push(request);
    yield { kind: "part", part: { kind: "text", text: "four" } };
    yield { kind: "finish", reason: "length" };
  },
};

function answers(user: Partial<QuestionUser>) {
  const refuse = async (): Promise<never> => {
    throw new Error("not asked for");
  };
  return answerQuestions({
    cwd: process.cwd(),
    session: () => session,
    user: { fillForm: refuse, visitUrl: refuse, approveSampling: refuse, ...user },
  });
}

const ask = async (
  user: Partial<QuestionUser>,
  method: "elicitation/create" | "sampling/createMessage" | "roots/list",
  params?: { readonly [member: string]: unknown },
): Promise<unknown> => (await answers(user).ask({ q: { method, ...(params && { params }) } }))["q"];

verifies("questions:answers", "forms, addresses and roots are answered as MCP asks", async () => {
  expect(
    await ask({ fillForm: async () => ({ action: "accept", content: { a: 1 } }) }, "elicitation/create", {
      message: "?",
      requestedSchema: { type: "object", properties: {} },
    }),
  ).toEqual({ action: "accept", content: { a: 1 } });
  const visit = (url: string): Promise<unknown> =>
    ask({ visitUrl: async () => "accept" }, "elicitation/create", { mode: "url", message: "", url });
  expect(await visit("https://example.com/x")).toEqual({ action: "accept" });
  await expect(visit("file:///etc/passwd")).rejects.toThrow("not an http URL");
  await expect(visit("nonsense")).rejects.toThrow("not an http URL");
  expect(await ask({}, "roots/list")).toEqual({
    roots: [{ uri: pathToFileURL(process.cwd()).href, name: "workspace" }],
  });
});

verifies(
  "questions:sampling",
  "a server's request is answered by the session's model, only with an approval",
  async () => {
    const params = {
      systemPrompt: "Count.",
      maxTokens: 50,
      messages: [{ role: "user", content: { type: "text", text: "2 + 2?" } }],
    };
    const approved = await ask({ approveSampling: async () => true }, "sampling/createMessage", params);
    expect(approved).toEqual({
      role: "assistant",
      content: { type: "text", text: "four" },
      model: "test/model",
      stopReason: "maxTokens",
    });
    expect(requests).toEqual([
      {
        system: "Count.",
        maxOutputTokens: 50,
        tools: [],
        messages: [{ role: "user", content: [{ kind: "text", text: "2 + 2?" }] }],
      },
    ]);
    const refused = (more: object): Promise<unknown> =>
      ask({ approveSampling: async () => false }, "sampling/createMessage", { ...params, ...more });
    await expect(refused({})).rejects.toThrow("declined");
    await expect(refused({ messages: [] })).rejects.toThrow("no messages");
    await expect(refused({ tools: [{ name: "x" }] })).rejects.toThrow("not supported");
    await expect(refused({ messages: [{ role: "user", content: { type: "audio" } }] })).rejects.toThrow(
      "audio",
    );
    expect(requests).toHaveLength(1);
  },
);
