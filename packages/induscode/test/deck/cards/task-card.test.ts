import { tempDir, verifies } from "@indus/testkit";
import { textResult } from "indusagi/runtime";
import { type DelegateRequest, type DelegateRunner, taskCard } from "induscode/deck";
import { expect } from "vitest";
import { openCard } from "./card-session.ts";

const agents = [{ name: "scout", description: "finds code" }, { name: "critic" }];

verifies("cards:task", "the request reaches the runner, and its answer comes back unchanged", async () => {
  await using dir = await tempDir();
  const requests: DelegateRequest[] = [];
  const answer = { ...textResult("done"), structured: { usage: 3 } };
  const delegate: DelegateRunner = {
    listAgents: () => agents,
    run: async (request) => {
      requests.push(request);
      return answer;
    },
  };
  await using card = openCard(taskCard(), dir.path, { delegate });
  expect(card.capability.description).toMatch(/Agents:\n- scout: finds code\n- critic$/);
  const request = { objective: "look", agent: "scout", context: "src" };
  expect((await card.run(request)).outcome.result).toBe(answer);
  await card.run({ objective: "anything" });
  expect(requests).toEqual([request, { objective: "anything" }]);

  const unknown = await card.run({ objective: "x", agent: "skout" });
  expect(unknown.text).toBe('task: there is no agent "skout"; known agents: scout, critic');
  expect(requests.length).toBe(2);
});

verifies("cards:task", "an abort reaches the runner, and a failure of it is an error result", async () => {
  await using dir = await tempDir();
  let heard: unknown;
  const delegate: DelegateRunner = {
    listAgents: () => [],
    run: ({ objective }, { signal, caller }) => {
      if (objective === "fail") return Promise.reject(new Error("no model"));
      caller?.progress?.({ progress: 1 });
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          heard = signal.reason;
          reject(new Error("ended"));
        });
      });
    },
  };
  await using card = openCard(taskCard(), dir.path, { delegate });
  const abort = new AbortController();
  const notes: unknown[] = [];
  const running = card.run(
    { objective: "wait" },
    { signal: abort.signal, caller: { key: "k", can: {}, progress: (note) => notes.push(note) } },
  );
  await new Promise((resolve) => setImmediate(resolve));
  abort.abort("stop it");
  expect((await running).outcome.fault).toMatchObject({ reason: "aborted" });
  expect(heard).toBe("stop it");
  expect(notes).toEqual([{ progress: 1 }]);

  const failed = await card.run({ objective: "fail" });
  expect(failed.outcome.isError).toBe(true);
  expect(failed.text).toBe("task failed: no model");
});

verifies(
  "cards:absent",
  "task without a runner says so in its description, its answer and as data",
  async () => {
    await using dir = await tempDir();
    await using card = openCard(taskCard(), dir.path);
    expect(card.capability.description).toContain("has no sub-agents");
    const { outcome, text, structured } = await card.run({ objective: "x" });
    expect(outcome.isError).toBe(true);
    expect(text).toBe("task: this session has no sub-agents; do the work yourself with the other tools");
    expect(structured).toEqual({ fault: "backend", handle: "delegate" });
  },
);
