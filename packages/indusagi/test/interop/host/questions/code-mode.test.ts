import { verifies } from "@indus/testkit";
import { createProviderHost, type ProtocolEra, serveHttp, type TokenVerifier } from "indusagi/interop";
import { type Caller, economize, textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { boxOf, type TestTool } from "../box-of.ts";
import { hostPair } from "../host-pair.ts";
import { modernRequest, type RawAnswer, send, textOf } from "../http/raw-http.ts";

const QUESTION = {
  method: "elicitation/create",
  params: { mode: "form", message: "Your name?", requestedSchema: { type: "object", properties: {} } },
} as const;
const ANSWER = { action: "accept", content: { name: "Ada" } };

/** Counts its calls: a program that was run again would call twice. */
function askingBox(ended: unknown[] = []) {
  let calls = 0;
  const counts: TestTool = () => textResult(String(++calls));
  const asks: TestTool = async (_call, signal, caller) => {
    signal.addEventListener("abort", () => ended.push(signal.reason));
    const answers = await caller?.ask?.({ who: QUESTION }, signal);
    return textResult(JSON.stringify(answers?.["who"]));
  };
  return economize(boxOf({ counts, asks }), { mode: "code", code: { resultChars: "whole" } });
}

const CODE =
  "const before = await native.counts(); const name = await native.asks(); return [before, name, await native.counts()]";
const EXPECTED = JSON.stringify(["1", JSON.stringify(ANSWER), "2"]);

for (const era of ["legacy", "modern"] satisfies ProtocolEra[])
  verifies("code:eras", `a program of a ${era} client asks and goes on where it was`, async () => {
    await using pair = await hostPair(era, askingBox(), { relays: { elicit: { form: true } } });
    const caller: Caller = {
      key: "me",
      can: { elicit: { form: true } },
      ask: async (requests) => Object.fromEntries(Object.keys(requests).map((key) => [key, ANSWER])),
    };
    const { content } = await pair.endpoint.invoke("run_code", { code: CODE }, { caller });
    expect(content).toEqual([{ type: "text", text: EXPECTED }]);
  });

const verifier: TokenVerifier = { verify: (token) => ({ principal: token, audience: "any" }) };

verifies(
  "code:eras",
  "over HTTP another request resumes the running program; without one it ends",
  async () => {
    const ended: unknown[] = [];
    const host = createProviderHost(askingBox(ended), undefined, {}, { questions: { questionMs: 2_000 } });
    await using listener = await serveHttp(host, { port: 0, verifier }).then((opened) => ({
      url: opened.url,
      [Symbol.asyncDispose]: () => opened.close(),
    }));
    const call = (more: object = {}): Promise<RawAnswer> => {
      const request = modernRequest(1, "tools/call", {
        name: "run_code",
        arguments: { code: CODE },
        ...more,
      });
      return send(listener.url, {
        ...request,
        headers: { ...request.headers, authorization: "Bearer alice" },
      });
    };
    const asked = await call();
    const result = asked.messages[0]?.result;
    expect(result?.["resultType"]).toBe("input_required");
    const [key = ""] = Object.keys(result?.["inputRequests"] as object);
    const answered = await call({
      inputResponses: { [key]: ANSWER },
      requestState: result?.["requestState"],
    });
    expect(textOf(answered)).toContain(EXPECTED);
    // This client never returns.
    await call();
    await expect.poll(() => ended.length, { timeout: 30_000 }).toBe(1);
  },
);
