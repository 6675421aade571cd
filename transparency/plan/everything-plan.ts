import { call } from "./calls.ts";
import { subscribe } from "./changes.ts";
import { HELLO_AND_LISTS, missing } from "./every-plan.ts";
import { complete, prompt, read } from "./requests.ts";
import type { Plan } from "./step.ts";
import { otherMethods, plainCall, task, unknownTask } from "./tasks.ts";

const DOCUMENT = "demo://resource/static/document/features.md";
const DYNAMIC = "demo://resource/dynamic";
const DATA = "data:text/plain;base64,SGVsbG8=";

/** Everything that `@modelcontextprotocol/server-everything` offers. */
export const everythingPlan: Plan = {
  extensions: { "io.modelcontextprotocol/tasks": {} },
  // It asks for the client's roots 350 ms after the handshake.
  settleMs: 700,
  steps: [
    ...HELLO_AND_LISTS,
    call("echo", { message: "Grüße 東京 🎏" }),
    call("echo", {}, { id: "call echo without its argument", feature: "tool errors" }),
    call("get-sum", { a: 40, b: 2 }),
    call("get-tiny-image"),
    call("get-annotated-message", { messageType: "error", includeImage: true }),
    call("get-structured-content", { location: "Chicago" }),
    call("get-resource-links", { count: 4 }),
    call("get-resource-reference", { resourceType: "Blob", resourceId: 2 }),
    call("get-env"),
    call(
      "gzip-file-as-resource",
      { name: "a.gz", data: DATA, outputType: "resource" },
      { id: "call gzip-file-as-resource, embedded" },
    ),
    call(
      "gzip-file-as-resource",
      { name: "b.gz", data: DATA, outputType: "resourceLink" },
      { id: "call gzip-file-as-resource, linked" },
    ),
    read("demo://resource/session/b.gz"),
    call("trigger-long-running-operation", { duration: 0.2, steps: 4 }, { feature: "progress" }),
    call("trigger-elicitation-request", {}, { feature: "elicit" }),
    call(
      "trigger-url-elicitation",
      { url: "https://example.test/a", elicitationId: "fixed" },
      { feature: "elicit" },
    ),
    call(
      "trigger-url-elicitation",
      { url: "https://example.test/b", elicitationId: "fixed", errorPath: true },
      { feature: "tool errors", id: "call trigger-url-elicitation, as an error" },
    ),
    call("trigger-sampling-request", { prompt: "Say hi", maxTokens: 10 }, { feature: "sample" }),
    call("get-roots-list", {}, { feature: "roots" }),
    plainCall("simulate-research-query", { topic: "python" }),
    task("simulate-research-query", { topic: "python", ambiguous: true }),
    unknownTask,
    otherMethods,
    read(DOCUMENT),
    read(`${DYNAMIC}/text/1`),
    read(`${DYNAMIC}/blob/1`),
    subscribe(`${DYNAMIC}/text/3`, "toggle-subscriber-updates"),
    prompt("simple-prompt"),
    prompt("args-prompt", { city: "東京", state: "x" }),
    prompt("resource-prompt", { resourceType: "Text", resourceId: "1" }),
    prompt("completable-prompt", { department: "Engineering", name: "Alice" }),
    complete({ prompt: "completable-prompt", argument: { name: "department", value: "E" } }),
    complete({
      prompt: "completable-prompt",
      argument: { name: "name", value: "" },
      context: { arguments: { department: "Engineering" } },
    }),
    complete({ template: `${DYNAMIC}/text/{resourceId}`, argument: { name: "resourceId", value: "12" } }),
    prompt("args-prompt", {}, "errors"),
    ...missing("demo://no/such/thing"),
  ],
};
