import { verifies } from "@indus/testkit";
import { createServerEndpoint } from "indusagi/interop";
import type { Caller } from "indusagi/runtime";
import { expect, onTestFinished } from "vitest";
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
