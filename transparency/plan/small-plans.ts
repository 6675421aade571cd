import { call } from "./calls.ts";
import { listChanged } from "./changes.ts";
import { HELLO_AND_LISTS, HELLO_AND_TOOLS, MISSING_TOOL, missing } from "./every-plan.ts";
import { prompt, read } from "./requests.ts";
import type { Plan } from "./step.ts";

/** What `test/servers/server.mjs` does without ending itself: results of unusual forms above all. */
export const scriptedPlan: Plan = {
  steps: [
    ...HELLO_AND_TOOLS,
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
    ...MISSING_TOOL,
  ],
};

/** What `test/servers/shelf.mjs` offers. */
export const shelfPlan: Plan = {
  steps: [
    ...HELLO_AND_LISTS,
    call("add", { text: "a", level: 3, code: "ABC", tags: [] }),
    call("picture"),
    call("report"),
    call("measure", { unit: "it's" }),
    call("count", { to: 3 }, { feature: "progress" }),
    read("shelf://intro"),
    read("shelf://logo"),
    read("shelf://page/12"),
    prompt("greet", { who: "Ada", tone: "cold" }),
    ...missing("shelf://no-such-thing"),
  ],
};
