import { verifies } from "@indus/testkit";
import { createServerEndpoint } from "indusagi/interop";
import type { Caller } from "indusagi/runtime";
import { expect, onTestFinished, vi } from "vitest";
import { type ActiveCall, QuestionRouter } from "../../../../src/interop/endpoint/call/question-router.ts";
import { legacyOnly } from "../../host/host-pair.ts";
import { inProcess } from "../../kit/scripted.ts";

/** Records each registration with any router until the test ends; the router works as usual. */
function recordEntries(): ActiveCall[] {
  const entries: ActiveCall[] = [];
  const { enter } = QuestionRouter.prototype;
  QuestionRouter.prototype.enter = function (call) {
    entries.push(call);
    return enter.call(this, call);
  };
  onTestFinished(() => void (QuestionRouter.prototype.enter = enter));
  return entries;
}

verifies(
  "endpoint:entered-once",
  "a call with a caller is registered once, and so is a raw request with one",
  async () => {
    const endpoint = createServerEndpoint(
      { kind: "stdio", id: "s", command: "unused" },
      inProcess({ era: "legacy" }),
      { eras: legacyOnly },
    );
    await endpoint.open();
    const entries = recordEntries();
    const caller: Caller = { key: "k", can: {} };
    await endpoint.invoke("echo", {}, { caller });
    expect(entries.map((entry) => entry.caller?.key)).toEqual(["k"]);
    await endpoint.invoke("echo", {});
    expect(entries.map((entry) => entry.caller?.key)).toEqual(["k", undefined]);
    await endpoint.session().request("tools/list", {}, { caller });
    await endpoint.session().request("tools/list", {});
    expect(entries.map((entry) => entry.caller?.key)).toEqual(["k", undefined, "k"]);
    await endpoint.close();
  },
);

/** A router, and how each question asked so far was settled. */
function routed(): { readonly router: QuestionRouter; readonly ask: (task?: string) => Promise<string> } {
  let settle: (result: string) => void = () => {};
  const router = new QuestionRouter({
    asker: { server: "s" },
    reply: ({ result }) => settle(JSON.stringify(result)),
    note: () => {},
  });
  const ask = (taskId?: string): Promise<string> =>
    new Promise((resolve) => {
      settle = resolve;
      const params =
        taskId === undefined ? {} : { _meta: { "io.modelcontextprotocol/related-task": { taskId } } };
      router.accept({ jsonrpc: "2.0", id: 1, method: "elicitation/create", params });
    });
  return { router, ask };
}

function callerOf(key: string, principal?: string): Caller {
  return {
    key,
    can: { elicit: { form: true } },
    ask: async () => ({ question: { asked: key } }),
    ...(principal === undefined ? {} : { principal }),
  };
}

const ASKED = '{"asked":"a"}';
const DECLINED = '{"action":"decline"}';

verifies(
  "endpoint:attribution",
  "a call that ended without an answer still counts, because its server may be at work on it",
  async () => {
    const { router, ask } = routed();
    const ended = { caller: callerOf("b"), signal: undefined };
    const entered = router.enter(ended);
    router.enter({ caller: callerOf("a"), signal: undefined });
    expect(await ask()).toBe(DECLINED);
    router.leave(ended, entered, false);
    expect(await ask()).toBe(DECLINED);
    expect(router.onlyCaller()).toBeUndefined();
    const other = routed();
    const enteredOther = other.router.enter(ended);
    other.router.enter({ caller: callerOf("a"), signal: undefined });
    other.router.leave(ended, enteredOther, true);
    expect(await other.ask()).toBe(ASKED);
    expect(other.router.onlyCaller()?.key).toBe("a");
  },
);

verifies(
  "endpoint:attribution",
  "after a moment a cancelled call no longer counts for its own user, but still for others",
  async () => {
    vi.useFakeTimers({ toFake: ["performance", "setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const anonymous = (key: string, name: string): Caller => ({
      ...callerOf(key),
      isSingle: true,
      client: { name, version: "1" },
    });
    for (const [cancelled, isSame] of [
      [callerOf("a", "a"), true],
      [callerOf("b", "b"), false],
      [anonymous("request-1", "cursor"), true],
      [anonymous("request-1", "zed"), false],
    ] as const) {
      const { router, ask } = routed();
      const next = cancelled.isSingle ? anonymous("a", "cursor") : callerOf("a", "a");
      const ended = { caller: cancelled, signal: undefined };
      router.leave(ended, router.enter(ended), false);
      router.enter({ caller: next, signal: undefined });
      expect(await ask()).toBe(DECLINED);
      vi.advanceTimersByTime(1_500);
      expect(await ask()).toBe(isSame ? ASKED : DECLINED);
      vi.advanceTimersByTime(30_000);
      expect(await ask()).toBe(ASKED);
    }
  },
);

verifies(
  "endpoint:attribution",
  "two requests of one principal may be two clients; two requests of one session are one",
  async () => {
    const principals = routed();
    principals.router.enter({ caller: callerOf("a", "a"), signal: undefined });
    expect(await principals.ask()).toBe(ASKED);
    principals.router.enter({ caller: callerOf("a", "a"), signal: undefined });
    expect(await principals.ask()).toBe(DECLINED);
    const session = routed();
    for (let count = 0; count < 2; count += 1)
      session.router.enter({ caller: callerOf("a", "ann"), signal: undefined });
    expect(await session.ask()).toBe(ASKED);
  },
);

verifies(
  "endpoint:attribution",
  "a question that names a task goes to the caller that waits for it, and to nobody else",
  async () => {
    const { router, ask } = routed();
    const waiting = { caller: callerOf("a"), signal: undefined, task: "t" };
    const entered = router.enter(waiting);
    expect(await ask("t")).toBe(ASKED);
    // Calls of others do not matter, and the wait does not stand in the way of their questions.
    const other = { caller: callerOf("b"), signal: undefined };
    const enteredOther = router.enter(other);
    expect(await ask("t")).toBe(ASKED);
    expect(await ask()).toBe('{"asked":"b"}');
    expect(await ask("another")).toBe(DECLINED);
    router.leave(waiting, entered, true);
    expect(await ask("t")).toBe(DECLINED);
    router.leave(other, enteredOther, true);
  },
);
