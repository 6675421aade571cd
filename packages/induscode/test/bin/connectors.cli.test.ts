import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { calling, printRun } from "../commands/session/print-run.ts";
import { indusBin, runIndus, writeConfig } from "./run-indus.ts";
import { gatedRow } from "./scripted-client.ts";

verifies(
  "session:connectors-record",
  "behind `indus serve` each action is in the audit trail under the name of the tool that was called",
  async () => {
    const execute = (slug: string) => ["saas-action", { action: "execute", slug, arguments: {} }] as const;
    await using test = await printRun(
      [calling(execute("desk__make"), execute("shop__make")), { text: "done" }],
      { tools: "make\n" },
    );
    const row = gatedRow("--tools", test.at("project", "tools"));
    const behind = await writeConfig(test.at("behind.json"), { desk: row, shop: row });
    const { HOME, XDG_STATE_HOME } = test.env;
    const serve = ["serve", "--stdio", "--profile", "none", "--mcp", behind];
    const team = {
      command: process.execPath,
      args: [indusBin, ...serve],
      env: { HOME, XDG_STATE_HOME },
      connectors: true,
    };
    const file = await writeConfig(test.at("servers.json"), { team });
    const options = { cwd: test.project, env: test.env };
    const asked = await runIndus(["-p", "Go", "--mcp", file], options);
    expect(asked).toMatchObject({ code: 0, out: "done\n" });
    expect(JSON.stringify(test.server.requests.at(-1))).toContain("called make");

    const audited = await runIndus(["audit", "--json"], options);
    const records = audited.out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly [member: string]: unknown });
    expect(records).toMatchObject([
      { method: "tools/call", server: "desk", tool: "desk__make", outcome: "ok" },
      { method: "tools/call", server: "shop", tool: "shop__make", outcome: "ok" },
    ]);
  },
  { timeoutMs: 60_000 },
);
