import { call } from "./calls.ts";
import { listChanged } from "./changes.ts";
import { ask, HELLO, list, PROMPTS, prompt, RESOURCES, read, TEMPLATES, TOOLS } from "./requests.ts";
import type { Plan } from "./step.ts";

/** What `test/servers/server.mjs` does without ending itself: results of unusual forms above all. */
export const scriptedPlan: Plan = {
  steps: [
    ...HELLO,
    list(TOOLS),
    call("echo", { text: "plain" }),
    call("args", { a: { b: [null, 1.5, "東京"] } }),
    call("blocks"),
    call("odd"),
    call("huge", { bytes: 3_000_000 }),
    call("slow", { ms: 50, stepMs: 200 }, { feature: "progress" }),
    call("fail", {}, { feature: "tool errors" }),
    call("refuse", {}, { feature: "tool errors" }),
    call("ask", {}, { feature: "elicit" }),
    call("sample", {}, { feature: "sample" }),
    call("roots", {}, { feature: "roots" }),
    listChanged("tools", "change"),
    call("no-such-tool", {}, { feature: "errors" }),
    ask("unknown method", "errors", "no/such/method"),
  ],
};

/** What `test/servers/shelf.mjs` offers. */
export const shelfPlan: Plan = {
  steps: [
    ...HELLO,
    list(TOOLS),
    list(RESOURCES),
    list(TEMPLATES),
    list(PROMPTS),
    call("add", { text: "a", level: 3, code: "ABC", tags: [] }),
    call("picture"),
    call("report"),
    call("measure", { unit: "it's" }),
    call("count", { to: 3 }, { feature: "progress" }),
    read("shelf://intro"),
    read("shelf://logo"),
    read("shelf://page/12"),
    prompt("greet", { who: "Ada", tone: "cold" }),
    prompt("no-such-prompt", {}, "errors"),
    read("shelf://no-such-thing", "errors"),
    ask("unknown method", "errors", "no/such/method"),
  ],
};
