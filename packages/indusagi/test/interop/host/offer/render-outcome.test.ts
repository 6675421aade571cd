import { verifies } from "@indus/testkit";
import type { ToolBox } from "indusagi/runtime";
import { textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { boxOf } from "../box-of.ts";
import { hostPair } from "../host-pair.ts";

/** What a legacy client gets from a mounted tool whose server sent this result. */
async function passedOn(value: object): Promise<unknown> {
  const result = { content: [] };
  const box: ToolBox = {
    ...boxOf({ remote: () => textResult("") }),
    runner: {
      run: async ({ id }) => ({ id, output: "", isError: false, result, wire: { value: () => value } }),
    },
  };
  await using pair = await hostPair("legacy", box);
  return await pair.endpoint.session().request("tools/call", { name: "remote", arguments: {} });
}

const content = [{ type: "text", text: "42" }];
const identity = { "io.modelcontextprotocol/serverInfo": { name: "upstream", version: "1.0.0" } };

verifies(
  "host:republish",
  "the modern envelope of an upstream result, with its identity, is not passed on",
  async () => {
    expect(await passedOn({ content, resultType: "complete", _meta: identity })).toEqual({ content });
    const both = { content, resultType: "complete", _meta: { ...identity, "example.org/a": 1 } };
    expect(await passedOn(both)).toEqual({ content, _meta: { "example.org/a": 1 } });
    expect(await passedOn({ content, resultType: "complete", odd: 1 })).toEqual({ content, odd: 1 });
  },
);

verifies("host:republish", "a result of the legacy era is passed on as it is", async () => {
  const legacy = { content, _meta: { ...identity, "example.org/a": 1 } };
  expect(await passedOn(legacy)).toEqual(legacy);
});
