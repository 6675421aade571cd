import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { parseServerConfig } from "indusagi/config";
import { expect } from "vitest";
import { inputIds, respelled } from "../../../src/servers/clients/client-variables.ts";
import { renameInputs } from "../../../src/servers/clients/index.ts";

/** The value of a variable of a server whose row has this text. */
function expanded(text: unknown, env: { readonly [name: string]: string } = {}): string | undefined {
  const row = { command: "x", env: { VALUE: text } };
  const [server] = parseServerConfig(JSON.stringify({ servers: { a: row } }), { env }).servers;
  return server?.config.kind === "stdio" ? server.config.env?.["VALUE"] : undefined;
}

const texts = fc
  .array(fc.constantFrom("$", "{", "}", "${A}", "{env:A}", "a", ":-", "$${", "é"), { maxLength: 8 })
  .map((parts) => parts.join(""));

verifies(
  "clients:variables",
  "a text of a client without variables reaches the server as it is written",
  () => {
    const law = fc.property(texts, (text) => {
      expect(expanded(respelled(text, "none"))).toBe(text);
    });
    fc.assert(law, { numRuns: 300 });
  },
);

verifies("clients:variables", "references of other clients become ours", () => {
  const env = { HOST: "example.com", KEY: "k" };
  expect(expanded(respelled("$HOST/${KEY}", "dollar"), env)).toBe("example.com/k");
  expect(expanded(respelled("{env:HOST}/${KEY}", "opencode"), env)).toBe("example.com/${KEY}");
  expect(expanded(respelled("${env:HOST}/${NO:-none}", "braces"), env)).toBe("example.com/none");
});

verifies("clients:variables", "the ids of inputs are found and renamed, and a literal one is not", () => {
  const row = {
    url: "https://${input:host}/",
    headers: { A: "${input:key} $${input:no}", B: "${input:host}" },
  };
  expect(inputIds(row)).toEqual(["host", "key"]);
  expect(renameInputs(row, new Map([["key", "key-2"]]))).toEqual({
    url: "https://${input:host}/",
    headers: { A: "${input:key-2} $${input:no}", B: "${input:host}" },
  });
});
