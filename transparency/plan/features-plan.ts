import { call, cancel, log } from "./calls.ts";
import { listChanged, subscribe } from "./changes.ts";
import { HELLO_AND_LISTS, missing } from "./every-plan.ts";
import { complete, prompt, read, readLink } from "./requests.ts";
import type { Plan } from "./step.ts";

const UNICODE = 'Grüße 東京 🎏 e\u0301 \u202Eabc\u202C \u0000\u001B[31m \u2028 "\\';

/** Everything that the servers of `test/servers/features` offer. */
export const featuresPlan: Plan = {
  steps: [
    ...HELLO_AND_LISTS,
    call("echo", { text: UNICODE }),
    call("strict", { at: { x: 1, y: -0.5 }, size: null, kind: 1, nested: [["a", 1], []] }),
    call("strict", { at: "no point", unknown: true }, { id: "call strict with wrong arguments" }),
    call("content"),
    call("structured", { a: 40, b: 2 }),
    call("empty"),
    call("large", { kb: 2_048 }, { id: "call large, 2 MB" }),
    call("many", { count: 500 }, { id: "call many, 500 blocks" }),
    call(
      "meta",
      {},
      { meta: { "example.test/trace": "abc", "example.test/deep": { a: [1, null] } }, id: "request _meta" },
    ),
    call("fail", {}, { feature: "tool errors" }),
    call("refuse", {}, { feature: "tool errors" }),
    call("progress", { steps: 5 }, { feature: "progress" }),
    cancel("hang", "cancelled"),
    call("ask", {}, { feature: "elicit", id: "elicit with a form" }),
    call("visit", {}, { feature: "elicit", id: "elicit with a URL" }),
    call("sample", {}, { feature: "sample" }),
    call("roots", {}, { feature: "roots" }),
    call("twice", {}, { feature: "elicit", id: "two questions in one call" }),
    listChanged("tools", "toggle", { kind: "tools" }),
    listChanged("prompts", "toggle", { kind: "prompts" }),
    listChanged("resources", "toggle", { kind: "resources" }),
    log("debug", "log"),
    log("error", "log"),
    read("feature://text"),
    read("feature://blob"),
    read("feature://ünï/東京?q=a%20b#part"),
    read("feature://item/7"),
    read("feature://linked/only"),
    readLink("content"),
    subscribe("feature://text", "touch", { uri: "feature://text" }),
    prompt("greet", { who: UNICODE }),
    prompt("plain"),
    complete({ prompt: "greet", argument: { name: "who", value: "par" } }),
    complete({
      prompt: "greet",
      argument: { name: "tone", value: "" },
      context: { arguments: { who: "Ada" } },
    }),
    complete({ template: "feature://item/{id}", argument: { name: "id", value: "t" } }),
    prompt("greet", {}, "errors"),
    complete({ prompt: "no-such-prompt", argument: { name: "a", value: "" } }),
    ...missing("feature://no-such-thing"),
  ],
};
