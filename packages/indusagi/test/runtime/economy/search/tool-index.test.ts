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
});

verifies("economy:synonyms", "what no tool teaches is not learned", async () => {
  const tools = [
    tool("a", "polish_shoe", { description: "Buffs a shoe." }),
    tool("b", "polish_boot", { description: "Buffs a boot." }),
    tool("c", "polish_car", { description: "For cars." }),
    ...thousandTools(),
  ];
  const index = await createToolIndex(tools);
  expect(index.search("buffs").map(({ name }) => name)).toContain("c__polish_car");
  index.update(tools.slice(2));
  expect(index.search("buffs")).toEqual([]);
});

const EVERYDAY = [
  tool("files", "delete_file"),
  tool("files", "read_text_file"),
  tool("files", "move_file"),
  tool("chat", "post_message"),
  tool("chat", "list_channels"),
  tool("desk", "get_issue"),
  tool("desk", "assign_issue"),
  tool("flags", "toggle_feature"),
  tool("maps", "find_route"),
];

for (const [what, query, name] of [
  ["a phrase", "Get rid of the draft", "files__delete_file"],
  ["a phrase of words that say nothing alone", "How do I get to it?", "maps__find_route"],
  ["a phrase with a gap", "Switch the new checkout on", "flags__toggle_feature"],
  ["a phrase with a contraction", "I don\u2019t need this one any more", "files__delete_file"],
  ["the name of a file", "What does notes.txt say?", "files__read_text_file"],
  ["the name of a channel", "Let #general know about lunch", "chat__post_message"],
  ["the key of a ticket", "Show ABC-12", "desk__get_issue"],
] as const)
  verifies("economy:lexicon", `by ${what}`, async () => {
    const [first] = (await createToolIndex(EVERYDAY)).search(query);
    expect(first?.name).toBe(name);
  });

const NAMED = [
  tool("backlog", "get_issue"),
  tool("backlog", "get_issues", { description: "Get issue, get issue, get issue of the backlog." }),
  tool("other", "getIssue", { title: "Get issue", description: "Get an issue of the backlog." }),
  tool("bitwarden", "list", { description: "Lists." }),
  tool("bitwarden", "list_org_collections", { description: "Lists, in a list, the list of bitwarden." }),
  tool("hosting", "listPHPExtensions"),
  tool("hosting", "list_extensions", { description: "PHP." }),
  tool("hosting", "getURLsOfPDFs"),
];

for (const [query, name] of [
  ["backlog__get_issue", "backlog__get_issue"],
  ["BACKLOG__GET_ISSUE", "backlog__get_issue"],
  ["please call `backlog__get_issues`, the list of issues", "backlog__get_issues"],
  ["backlog get issue", "backlog__get_issue"],
  ["get issue backlog", "backlog__get_issue"],
  ["bitwarden list", "bitwarden__list"],
  ["listPHPExtensions", "hosting__listPHPExtensions"],
  ["hosting list php extensions", "hosting__listPHPExtensions"],
  ["get urls of pdfs", "hosting__getURLsOfPDFs"],
] as const)
  verifies("economy:names", query, async () => {
    const [first] = (await createToolIndex(NAMED)).search(query);
    expect(first?.name).toBe(name);
  });

verifies("economy:names", "also within one server", async () => {
  const index = await createToolIndex(NAMED);
  const [first, ...others] = index.search("get issue", { server: "backlog" });
  expect(first?.name).toBe("backlog__get_issue");
  expect(others.every(({ origin }) => origin?.server === "backlog")).toBe(true);
});

/** Names as servers have them, and any others. */
const anyName = fc.oneof(
  fc.stringMatching(/^[a-z]{1,8}([_-][a-z]{1,8}|[A-Z]{1,3}[a-z]{1,5}){0,3}$/),
  fc.constantFrom("__proto__", "constructor", "toString", "get", "the", "~", "=x", "<url>", ".txt", "搜索"),
  fc.string({ minLength: 1 }),
);
const anyTool = fc
  .record({ server: anyName, name: anyName, description: fc.string(), parameter: anyName })
  .map(({ server, name, description, parameter }) => tool(server, name, { description, ...text(parameter) }));
const anyTools = fc.uniqueArray(anyTool, { selector: ({ name }) => name.toLowerCase(), maxLength: 12 });

verifies(
  "economy:names",
  "each tool is found first by its name in the list, whatever the others are",
  async () => {
    await fc.assert(
      fc.asyncProperty(anyTools, async (tools) => {
        const index = await createToolIndex([...EVERYDAY, ...tools]);
        for (const each of tools) expect(index.search(each.name)[0]).toBe(each);
      }),
      { numRuns: 50 },
    );
  },
);

verifies("economy:order", "for any tools and queries", async () => {
  const everyday = fc.constantFrom(
    "get rid of",
    "who is",
    "notes.txt",
    "list",
    "~",
    "#general",
    "don't",
    "file",
  );
  const anyQuery = fc.array(fc.oneof(everyday, anyName, fc.string()), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(anyTools, anyQuery, fc.nat(), async (others, words, turn) => {
      const tools = [...EVERYDAY, ...NAMED, ...others];
      const at = turn % tools.length;
      const turned = [...tools.slice(at), ...tools.slice(0, at)].toReversed();
      const query = words.join(" ");
      const found = (await createToolIndex(tools)).search(query, { limit: 100 });
      // Without words to look for, tools are listed in their own order.
      if (found.every((each, position) => each === tools[position])) return;
      expect((await createToolIndex(turned)).search(query, { limit: 100 })).toEqual(found);
    }),
    { numRuns: 50 },
  );
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
