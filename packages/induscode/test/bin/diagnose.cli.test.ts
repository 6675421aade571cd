import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { eventually, runIndus, startIndus, writeConfig } from "./run-indus.ts";

const node = (script: string, env: object = {}): object => ({
  command: process.execPath,
  args: ["-e", script.replaceAll("\n", " ")],
  env,
});

/** Fails with a long stack, whose last lines say nothing, and prints a secret and a colour. */
const failing = node(
  `console.error("token", process.env.GIVEN_TOKEN, "\\u001b[31mred");
   const fail = (depth) => { if (depth > 0) return fail(depth - 1) + 1;
     throw new Error("cannot read DIAGNOSE_CLI_KEY", { cause: new TypeError("no key") }); };
   Error.stackTraceLimit = 40; fail(40);`,
  { GIVEN_TOKEN: "swordfish-swordfish" },
);

verifies(
  "diagnose:verbose",
  "the note has the reason and the variable; --verbose adds its lines",
  async () => {
    await using dir = await tempDir();
    const file = await writeConfig(dir.at("servers.json"), { failing });
    const env = { DIAGNOSE_CLI_KEY: "hunter2-hunter2" };
    const [brief, verbose, json] = await Promise.all(
      [[], ["--verbose"], ["--json"]].map((flags) =>
        runIndus(["mcp", "list", "--mcp", file, ...flags], { env }),
      ),
    );
    for (const run of [brief, verbose]) {
      expect(run?.out).toMatch(
        /^failing +\S+ +given +failed .*\(exit code 1\); standard error: Error: cannot read DIAGNOSE_CLI_KEY; /m,
      );
      expect(run?.out).toContain('add "env": { "DIAGNOSE_CLI_KEY": "${DIAGNOSE_CLI_KEY}" }');
    }
    expect(brief?.out).not.toContain("[cause]");
    expect(verbose?.out).toContain(
      "\nfailing, standard error:\n  | Error: cannot read DIAGNOSE_CLI_KEY\n  | [cause]: TypeError: no key\n",
    );
    const { servers } = JSON.parse(json?.out ?? "") as { readonly servers: readonly object[] };
    expect(servers[0]).toMatchObject({
      stderrReason: ["Error: cannot read DIAGNOSE_CLI_KEY", "[cause]: TypeError: no key"],
    });
    expect(JSON.stringify([brief, verbose, json])).not.toMatch(/hunter2|swordfish|\u001b/);
  },
);

verifies("diagnose:verbose", "serve shows everything the server wrote", async () => {
  await using dir = await tempDir();
  const file = await writeConfig(dir.at("servers.json"), { failing });
  using indus = startIndus(["serve", "--port", "0", "--mcp", file]);
  const err = await eventually(() => (/^ {2}\| Node\.js v/m.test(indus.err()) ? indus.err() : undefined));
  expect(err).toContain("failing, standard error:\n  | token ");
  expect(err).toContain("\\x1b[31mred\n");
  expect(err).toMatch(/^ {2}\| {5}at fail .*\n(?: {2}\|.*\n)+ {2}\| Node/m);
  expect(err).not.toContain("swordfish");
});
