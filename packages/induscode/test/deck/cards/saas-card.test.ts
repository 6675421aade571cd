import { tempDir, verifies } from "@indus/testkit";
import { textResult } from "indusagi/runtime";
import { type SaasGatewayPort, saasCard } from "induscode/deck";
import { expect } from "vitest";
import { openCard } from "./card-session.ts";

const actions = [
  {
    slug: "GITHUB_CREATE_ISSUE",
    description: "Creates an issue",
    parameters: { type: "object", required: ["title"] },
    toolkit: "github",
  },
  { slug: "Mail.Send-2" },
] as const;

verifies(
  "cards:saas",
  "queries and slugs reach the gateway unchanged, and its answers come back",
  async () => {
    await using dir = await tempDir();
    const seen: unknown[] = [];
    const answer = { ...textResult("#7"), structured: { number: 7 } };
    const saas: SaasGatewayPort = {
      discover: async (query) => {
        seen.push(query);
        return actions.filter(({ slug }) => query.slug === undefined || slug === query.slug);
      },
      execute: async (slug, input) => {
        seen.push([slug, input]);
        if (slug === "BROKEN") throw new Error("quota exceeded");
        return answer;
      },
    };
    await using card = openCard(saasCard(), dir.path, { saas });
    const found = await card.run({ action: "discover", toolkits: ["github"], query: "issue" });
    expect(found.text).toBe(
      "GITHUB_CREATE_ISSUE: Creates an issue\nMail.Send-2\ndiscover with a slug shows the arguments of one action",
    );
    expect(found.structured).toEqual({ actions });
    const one = await card.run({ action: "discover", slug: "GITHUB_CREATE_ISSUE" });
    expect(one.text).toMatch(/\narguments: \{"type":"object","required":\["title"\]\}$/);
    expect((await card.run({ action: "discover", slug: "X" })).text).toBe('there is no action "X"');

    const run = await card.run({ action: "execute", slug: "Mail.Send-2", arguments: { to: "a" } });
    expect(run.outcome.result).toBe(answer);
    expect((await card.run({ action: "execute", slug: "BROKEN" })).text).toBe(
      "saas-action failed: quota exceeded",
    );
    expect((await card.run({ action: "execute" })).text).toMatch(
      /^saas-action: "slug" is missing; .*use discover$/,
    );
    expect(seen).toEqual([
      { toolkits: ["github"], query: "issue" },
      { slug: "GITHUB_CREATE_ISSUE" },
      { slug: "X" },
      ["Mail.Send-2", { to: "a" }],
      ["BROKEN", {}],
    ]);
  },
);

verifies(
  "cards:absent",
  "saas-action without a gateway says so in its description, its answer and as data",
  async () => {
    await using dir = await tempDir();
    await using card = openCard(saasCard(), dir.path);
    expect(card.capability.description).toContain("has no connected services");
    for (const action of ["discover", "execute"]) {
      const { outcome, text, structured } = await card.run({ action });
      expect(outcome.isError).toBe(true);
      expect(text).toMatch(/^saas-action: this session has no connected services; /);
      expect(structured).toEqual({ fault: "backend", handle: "saas" });
    }
  },
);
