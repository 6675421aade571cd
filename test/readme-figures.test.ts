import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { readPage } from "./faults/faults-page.ts";
import { readDocument } from "./kit/documents.ts";

/** A sentence of README with figures that a run wrote into a page. */
interface Claim {
  readonly page: string;
  /** The command that writes the page. */
  readonly run: string;
  /** The sentence with the figures that the page has now. */
  readonly sentence: () => string;
}

const readme = readDocument("README.md");
const [why = ""] = /^## Why Indus\n[\s\S]*?(?=^## )/m.exec(readme) ?? [];

/** The rest of the first table row that begins with these cells. */
function rowOf(page: string, ...first: readonly string[]): readonly string[] {
  const start = `| ${first.join(" | ")} | `;
  const line = readDocument(page)
    .split("\n")
    .find((each) => each.startsWith(start));
  if (line === undefined) throw new Error(`${page} has no row that begins with "${start}"`);
  return line.slice(start.length).split(" | ");
}

/** The groups of a pattern in a text of a page. */
function groups(page: string, text: string, pattern: RegExp): readonly string[] {
  const found = pattern.exec(text);
  if (!found) throw new Error(`${page}: "${text}" does not have the form ${pattern}`);
  return found.slice(1);
}

const grouped = (digits: string | number | undefined): string => Number(digits).toLocaleString("en-US");

const FAULTS = "docs/faults.md";
const BENCH = "docs/bench.md";
const CONFORMANCE = "docs/conformance.md";
const TRANSPARENCY = "docs/transparency.md";
const CONTEXT = "docs/context.md";

function faultCases(): string {
  const { facts, cases } = readPage(readDocument(FAULTS));
  // The first line is that of the last full run; runs of some files add lines below it.
  const [verdict = ""] = groups(FAULTS, facts[0] ?? "", / minutes: (.+)\.$/);
  const isComplete = !cases.some(({ outcome }) => outcome === "skipped");
  const short = isComplete ? verdict.replace(" passed or were skipped", " passed") : verdict;
  return `In the last full fault run ${short.replaceAll("**", "")}.`;
}

function badServers(): string {
  const [size = "", found = ""] = rowOf(
    FAULTS,
    "one dead, one mute, one flooding and one dying server among twenty",
  );
  const [calls] = groups(FAULTS, size, /^(\d+) calls to the other sixteen$/);
  const [p99] = groups(FAULTS, found, /^all answered, .*p99 ([\d.]+) ms/);
  return `with 1 dead, 1 mute, 1 flooding and 1 dying server among 20, all ${grouped(calls)} calls to the other 16 were answered, p99 ${p99} ms`;
}

function killedServers(): string {
  const [size = "", found = ""] = rowOf(FAULTS, "B1 server SIGKILLed in a call");
  const [kills] = groups(FAULTS, size, /^(\d+) kills/);
  const [repeated, worst] = groups(
    FAULTS,
    found,
    /^(\d+) side effects repeated, .*worst next answer after (\d+) ms/,
  );
  return `${grouped(kills)} kills: ${repeated} side effects repeated; the next call was answered within ${worst} ms at worst`;
}

function killedOwners(): string {
  const [size = "", found = ""] = rowOf(FAULTS, "kill -9 of an owner of eight shapes of tree");
  const [kills] = groups(FAULTS, size, /^(\d+) kills/);
  const [survivors] = groups(FAULTS, found, /^(\d+) survivors/);
  return `${grouped(kills)} × \`kill -9\` of the owner, with 8 shapes of process trees: ${survivors} survivors`;
}

function conformance(): string {
  const text = readDocument(CONFORMANCE);
  const scores = (who: string): string => {
    const found = [...text.matchAll(new RegExp(`^## ${who}, [\\d-]+: (\\d+ of \\d+)$`, "gm"))];
    if (found.length !== 2)
      throw new Error(`${CONFORMANCE} does not have two headings "## ${who}, …: N of N"`);
    return found.map(([, score]) => score).join(" and ");
  };
  const gateway = scores("gateway");
  const through = gateway === scores("server") ? "the same" : gateway;
  return `client ${scores("client")}, logins included, server ${scores("server")}, ${through} through the gateway`;
}

/** The counts of the gateway of ours. */
function gatewayCounts(): Readonly<Record<"cells" | "lost" | "steps" | "identical" | "different", number>> {
  const [cells = NaN, lost = NaN, steps = NaN, identical = NaN, , different = NaN] = rowOf(
    TRANSPARENCY,
    "indus",
  ).map(Number);
  return { cells, lost, steps, identical, different };
}

function transparency(): string {
  const { cells, steps, identical, different } = gatewayCounts();
  const share = Math.round((identical / steps) * 100);
  const otherwise = different === 0 ? "none" : different;
  return `${grouped(steps)} steps in ${cells} combinations of servers, transports and eras, compared with and without the gateway: ${share} % identical, ${100 - share} % different for a listed reason, ${otherwise} otherwise`;
}

function context(): string {
  const tokens = (mode: string): string => rowOf(CONTEXT, "1,000", mode)[1]?.replace(" |", "") ?? "";
  const recall = (sentences: string): string => rowOf(CONTEXT, sentences)[2] ?? "";
  return `of 1,000 tools of real servers ${tokens("search")} tokens instead of ${tokens("all")}; the right tool is among the first five for ${recall("English, kept apart from tuning")} of users' bare sentences, and for ${recall("a model's query for those kept apart")} of the queries`;
}

/** The medians of the cases whose ids match. */
function medians(ids: RegExp): readonly string[] {
  const rows = [...readDocument(BENCH).matchAll(/^\| ([\w-]+) \| .*? \| ([\d.]+) \| /gm)];
  const found = rows.filter(([, id = ""]) => ids.test(id)).map(([, , median = ""]) => median);
  if (found.length === 0) throw new Error(`${BENCH} has no case ${ids}`);
  return found.toSorted((a, b) => Number(a) - Number(b));
}

function range(ids: RegExp): string {
  const found = medians(ids);
  return `${found[0]} to ${found.at(-1)}`;
}

function bench(): string {
  return `${medians(/^stdio-call$/)[0]} of a plain SDK client's, ${medians(/^stdio-call-64$/)[0]} with 64 calls at once; as a server ${range(/^host-(stdio|http)/)} of the SDK's server; through the gateway ${range(/^serve-calls-/)} of the fastest of three other gateways`;
}

const CLAIMS: readonly Claim[] = [
  { page: FAULTS, run: "npm run faults", sentence: faultCases },
  { page: FAULTS, run: "npm run faults", sentence: badServers },
  { page: FAULTS, run: "npm run faults", sentence: killedServers },
  { page: FAULTS, run: "npm run faults", sentence: killedOwners },
  { page: CONFORMANCE, run: "npm run conformance", sentence: conformance },
  { page: TRANSPARENCY, run: "npm run transparency", sentence: transparency },
  { page: CONTEXT, run: "npm run context", sentence: context },
  { page: BENCH, run: "npm run bench", sentence: bench },
];

/** Finds the sentence with whatever figures it has. */
function withAnyFigures(sentence: string): RegExp {
  const literal = sentence.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  return new RegExp(literal.replaceAll(/\d(?:(?:[\d,]|\\\.)*\d)?/g, String.raw`\d(?:[\d.,]*\d)?`));
}

for (const { page, run, sentence } of CLAIMS) {
  verifies("docs:figures", `README states the figures of ${page}: ${sentence.name}`, () => {
    const wanted = sentence();
    const [stated = "no such sentence"] = withAnyFigures(wanted).exec(why) ?? [];
    expect(
      stated,
      `${run} wrote new figures into ${page}. Write into README.md, under "Why Indus": "${wanted}"`,
    ).toBe(wanted);
  });
}

verifies("docs:figures", 'README states no figure under "Why Indus" that is not compared with a page', () => {
  const rest = CLAIMS.reduce((text, { sentence }) => text.replace(withAnyFigures(sentence()), ""), why);
  const figures = rest.match(/\d[\d.,-]*/g) ?? [];
  // The revision of MCP, and the plain client that the times are compared with.
  expect(figures, "Add the sentence of each other figure to test/readme-figures.test.ts").toEqual([
    "2026-07-28",
    "1",
  ]);
});

verifies(
  "docs:honest",
  "the gateway of the transparency run lost no connection, and changed nothing without a reason",
  () => {
    expect(gatewayCounts()).toMatchObject({ lost: 0, different: 0 });
  },
);
