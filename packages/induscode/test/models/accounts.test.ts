import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir, verifies } from "@indus/testkit";
import { listModels, openModel, readAccounts } from "induscode/models";
import { expect } from "vitest";
import { startModelServer } from "./wire/model-server.ts";

verifies("models:accounts", "keys of a named account; a file that others can read is refused", async () => {
  await using dir = await tempDir();
  const env = { XDG_CONFIG_HOME: dir.path };
  expect(readAccounts(undefined, { env }).key("openai")).toBeUndefined();
  expect(() => readAccounts("work", { env })).toThrow(/accounts\.json has no account "work"; it has: none/);
  mkdirSync(join(dir.path, "indusvx"));
  const file = join(dir.path, "indusvx", "accounts.json");
  writeFileSync(file, JSON.stringify({ default: { openai: "sk-1" }, work: { anthropic: "sk-2" } }), {
    mode: 0o600,
  });
  expect(readAccounts(undefined, { env }).key("openai")).toBe("sk-1");
  expect(readAccounts("work", { env }).key("anthropic")).toBe("sk-2");
  expect(openModel("anthropic/claude", { env: {}, accounts: readAccounts("work", { env }) }).id).toBe(
    "anthropic/claude",
  );
  expect(() => readAccounts("home", { env })).toThrow('has no account "home"; it has: default, work');
  chmodSync(file, 0o644);
  expect(() => readAccounts(undefined, { env })).toThrow(
    `${file} can be read by other users; run: chmod 600 ${file}`,
  );
  writeFileSync(file, "[]");
  chmodSync(file, 0o600);
  const problem = `${file} must be a JSON object of accounts, each with keys by provider`;
  expect(() => readAccounts(undefined, { env })).toThrow(problem);
  // A mistake in the file does not show a key in the message.
  writeFileSync(file, "{sk-secret}");
  expect(() => readAccounts(undefined, { env })).toThrow(new RegExp(`^${problem}$`));
  const mistakes = {
    '"anthropic" must be an account, an object of keys by provider': { anthropic: "sk-secret" },
    'the key "openai" of "default" must be a string': { default: { openai: { key: "sk-secret" } } },
  };
  for (const [why, content] of Object.entries(mistakes)) {
    writeFileSync(file, JSON.stringify(content));
    expect(() => readAccounts(undefined, { env })).toThrow(`${file}: ${why}`);
    expect(() => readAccounts(undefined, { env })).not.toThrow(/sk-secret/);
  }
  rmSync(file);
  mkdirSync(file);
  expect(() => readAccounts("work", { env })).toThrow(`${file} is not a regular file`);
});

verifies("models:list", "the models of each provider with a key, and why there are none", async () => {
  await using server = await startModelServer([]);
  const listings = await listModels({ env: { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: "good" } });
  expect(listings).toEqual([
    { provider: "anthropic", models: [], problem: expect.stringContaining("set ANTHROPIC_API_KEY") },
    { provider: "openai", models: ["openai/a-model", "openai/b-model"] },
    { provider: "google", models: [], problem: expect.stringContaining("set GOOGLE_GENERATIVE_AI_API_KEY") },
    { provider: "openai-compatible", models: ["openai-compatible/a-model", "openai-compatible/b-model"] },
  ]);
});
