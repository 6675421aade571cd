import { verifies } from "@indus/testkit";
import fc from "fast-check";
import type { ToolDescriptor } from "indusagi/llm";
import { createToolIndex } from "indusagi/runtime";
import { expect } from "vitest";
import { thousandTools, tool } from "../catalogue.ts";

const text = (name: string): { readonly parameters: ToolDescriptor["parameters"] } => ({
  parameters: { type: "object", properties: { [name]: { type: "string" } } },
});

const TOOLS = [
  tool("github", "createPullRequest", { description: "Opens a request for review." }),
  tool("github", "list_issues"),
  tool("camera", "shoot", { title: "Take a photograph" }),
  tool("archive", "HTTPServerStart"),
  tool("maps", "route", text("destinationAddress")),
  tool("weather-tools", "now", { description: "The weather, e.g. rain. Also the temperature outside." }),
  tool("chinese", "search", { description: "搜索云文档" }),
];

async function firstFound(query: string): Promise<string | undefined> {
  return (await createToolIndex(TOOLS)).search(query)[0]?.name;
}

for (const [what, query, name] of [
  ["parts of a name", "pull request", "github__createPullRequest"],
  ["parts after an abbreviation", "server", "archive__HTTPServerStart"],
  ["a plural", "issue", "github__list_issues"],
  ["a title", "photographs", "camera__shoot"],
  ["a sentence", "review", "github__createPullRequest"],
  ["a later sentence", "temperature", "weather-tools__now"],
  ["a parameter", "address", "maps__route"],
  ["a server", "camera", "camera__shoot"],
  ["a beginning", "photo", "camera__shoot"],
  ["a typing mistake", "temprature", "weather-tools__now"],
  ["a script without spaces", "文档", "chinese__search"],
] as const)
  verifies("economy:find", `by ${what}`, async () => expect(await firstFound(query)).toBe(name));

verifies(
  "economy:find",
  "nothing by nothing that it has, all by an empty query, and only one server's",
  async () => {
    const index = await createToolIndex(TOOLS);
    expect(index.search("xylophone")).toEqual([]);
    expect(index.search(" the of ", { limit: 3 })).toEqual(TOOLS.slice(0, 3));
    expect(index.search("", { server: "github" })).toEqual(TOOLS.slice(0, 2));
    expect(
      index.search("server review issue", { server: "github" }).map(({ origin }) => origin?.server),
    ).toEqual(["github", "github"]);
  },
);

verifies("economy:synonyms", "a word of other tools' texts finds what they are named", async () => {
  // Three tools teach that "remove" is called "delete". The wanted one does not say "remove".
  const tools = [
    tool("a", "delete_file", { description: "Removes a file." }),
    tool("b", "delete_user", { description: "Removes a user." }),
    tool("c", "delete_row", { description: "Removes a row." }),
    tool("d", "delete_song", { description: "For music." }),
    tool("d", "play_song", { description: "For music." }),
    ...thousandTools().filter(({ name }) => !name.includes("delete")),
  ];
  const index = await createToolIndex(tools);
  expect(index.search("remove a song").slice(0, 1)).toEqual([tools[3]]);
  index.update(tools.slice(3));
  expect(index.search("remove a song", { limit: 2 }).map(({ name }) => name)).toEqual([
    "d__delete_song",
    "d__play_song",
  ]);
  expect(index.search("remove", { limit: 1 })).toEqual([]);
});

verifies("economy:incremental", "after any sequence of lists", async () => {
  const pool = [...TOOLS, ...thousandTools().slice(0, 60)];
  const lists = fc.array(fc.subarray(pool), { minLength: 1, maxLength: 4 });
  const queries = ["create ticket", "photo list", "acme", "remove invoices", "temprature"];
  await fc.assert(
    fc.asyncProperty(lists, async (steps) => {
      const followed = await createToolIndex();
      for (const step of steps) followed.update(step);
      const fresh = await createToolIndex(steps.at(-1) ?? []);
      for (const query of queries)
        expect(new Set(followed.search(query, { limit: 100 }))).toEqual(
          new Set(fresh.search(query, { limit: 100 })),
        );
    }),
    { numRuns: 30 },
  );
});
