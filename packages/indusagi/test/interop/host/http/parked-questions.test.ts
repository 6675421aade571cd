import { verifies } from "@indus/testkit";
import { createProviderHost, type ParkingLimits, serveHttp, type TokenVerifier } from "indusagi/interop";
import { textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { boxOf, type TestTool } from "../box-of.ts";
import { errorOf, modernRequest, type RawAnswer, send, textOf } from "./raw-http.ts";

const verifier: TokenVerifier = { verify: (token) => ({ principal: token, audience: "any" }) };
const QUESTION = {
  method: "elicitation/create",
  params: { mode: "form", message: "Your name?", requestedSchema: { type: "object", properties: {} } },
} as const;

/** A listener with two tools that ask, and how their work ended without an answer. */
async function listening(questions: Partial<ParkingLimits> = {}) {
  const ended: unknown[] = [];
  const asks: TestTool = async ({ input }, signal, caller) => {
    signal.addEventListener("abort", () => ended.push((signal.reason as { kind?: string }).kind));
    const answers = await caller?.ask?.({ who: QUESTION });
    return textResult(`${JSON.stringify(input)} ${JSON.stringify(answers?.["who"])}`);
  };
  const host = createProviderHost(boxOf({ asks, asks_too: asks }), undefined, {}, { questions });
  const listener = await serveHttp(host, { port: 0, verifier });
  const call = (who: string, more: object = {}, name = "asks"): Promise<RawAnswer> => {
    const request = modernRequest(1, "tools/call", { name, arguments: { who }, ...more });
    return send(listener.url, {
      ...request,
      headers: { ...request.headers, authorization: `Bearer ${who}` },
    });
  };
  return { call, ended, [Symbol.asyncDispose]: () => listener.close() };
}

const ANSWER = { inputResponses: { who: { action: "accept", content: { name: "Ada" } } } };

function stateOf(answer: RawAnswer): string {
  const result = answer.messages[0]?.result;
  expect(result?.["resultType"]).toBe("input_required");
  return result?.["requestState"] as string;
}

function expectRefused(answer: RawAnswer): void {
  expect(errorOf(answer)?.code).toBe(-32602);
  expect(answer.text).not.toContain("Ada");
}

verifies("host-threats:sealed-state", "a state is valid once, for its principal and its tool", async () => {
  await using host = await listening();
  const requestState = stateOf(await host.call("alice"));
  expectRefused(await host.call("bob", { ...ANSWER, requestState }));
  expectRefused(await host.call("alice", { ...ANSWER, requestState }, "asks_too"));
  const answered = await host.call("alice", { ...ANSWER, requestState });
  expect(textOf(answered)).toContain('{"who":"alice"} {"action":"accept","content":{"name":"Ada"}}');
  expectRefused(await host.call("alice", { ...ANSWER, requestState }));
});

verifies("host-threats:sealed-state", "altered in any byte, a state is invalid", async () => {
  await using host = await listening();
  const requestState = stateOf(await host.call("alice"));
  const altered = requestState.split("").flatMap((character, at) => {
    if (at % 25 !== 0 && at !== requestState.length - 1) return [];
    return [requestState.slice(0, at) + (character === "A" ? "B" : "A") + requestState.slice(at + 1)];
  });
  altered.push("", requestState.slice(1), `${requestState}A`, `${requestState}${requestState}`, "a.b.c");
  for (const state of altered) {
    const answer = await host.call("alice", { ...ANSWER, requestState: state });
    expect({ state, code: errorOf(answer)?.code }).toEqual({ state, code: -32602 });
  }
  expect(textOf(await host.call("alice", { ...ANSWER, requestState }))).toContain("Ada");
});

verifies("host-threats:sealed-state", "used many times at once, a state is answered once", async () => {
  await using host = await listening();
  const requestState = stateOf(await host.call("alice"));
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => host.call("alice", { ...ANSWER, requestState })),
  );
  expect(answers.filter((answer) => textOf(answer)?.includes("Ada")).length).toBe(1);
  expect(answers.filter((answer) => errorOf(answer)?.code === -32602).length).toBe(7);
});

verifies(
  "host-threats:parked-expiry",
  "a question without an answer ends its tool and frees its place",
  async () => {
    await using host = await listening({ questionMs: 300, perOwner: 1 });
    for (let round = 1; round <= 3; round += 1) {
      const requestState = stateOf(await host.call("alice"));
      await expect.poll(() => host.ended.length, { timeout: 10_000 }).toBe(round);
      expectRefused(await host.call("alice", { ...ANSWER, requestState }));
    }
    expect(host.ended).toEqual(["unanswered", "unanswered", "unanswered"]);
  },
);

verifies("host-threats:parked-cap", "questions of one client fill only its own places", async () => {
  await using host = await listening({ perOwner: 3, total: 5 });
  const states = [];
  for (let at = 0; at < 3; at += 1) states.push(stateOf(await host.call("alice")));
  const full = await host.call("alice");
  expect(errorOf(full)?.message).toContain("too many questions");
  expect(host.ended).toEqual(["too_many_questions"]);
  stateOf(await host.call("bob"));
  stateOf(await host.call("cyd"));
  expect(errorOf(await host.call("dan"))?.message).toContain("too many questions");
  expect(textOf(await host.call("alice", { ...ANSWER, requestState: states[0] }))).toContain("Ada");
  stateOf(await host.call("dan"));
});

verifies(
  "host-threats:parked-cap",
  "a missing answer is asked for again, and an answer to no question is ignored",
  async () => {
    await using host = await listening();
    const first = stateOf(await host.call("alice"));
    const again = await host.call("alice", {
      inputResponses: { other: { action: "decline" } },
      requestState: first,
    });
    expectRefused(await host.call("alice", { ...ANSWER, requestState: first }));
    const answered = await host.call("alice", { ...ANSWER, requestState: stateOf(again) });
    expect(textOf(answered)).toContain("Ada");
  },
);

verifies("host-threats:parked-expiry", "waiting calls end with their listener", async () => {
  const host = await listening();
  stateOf(await host.call("alice"));
  expect(host.ended).toEqual([]);
  await host[Symbol.asyncDispose]();
  expect(host.ended).toEqual(["disconnected"]);
});
