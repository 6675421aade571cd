import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { readPage } from "./faults/faults-page.ts";
import { readDocument } from "./kit/documents.ts";

const README = "README.md";
const WHY = "docs/why.md";
const GUIDE = "docs/guide/many-tools.md";

/** A sentence of README, docs/why.md or a guide with figures that a run wrote into a page. */
interface Claim {
  readonly document: typeof README | typeof WHY | typeof GUIDE;
  readonly page: string;
  /** The command that writes the page. */
  readonly run: string;
  /** The sentence with the figures that the page has now. */
  readonly sentence: () => string;
}

/** The parts of the documents with such sentences. In README and docs/why.md every figure is compared with a page. */
const TEXTS = {
  [README]: /^## What makes it different\n[\s\S]*?(?=^## )/m.exec(readDocument(README))?.[0] ?? "",
  [WHY]: readDocument(WHY),
  [GUIDE]: readDocument(GUIDE),
} as const;

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
  return `${answeredCalls()}, p99 ${badServerFigures().p99} ms`;
}

function answeredCalls(): string {
  return `with 1 dead, 1 mute, 1 flooding and 1 dying server among 20, all ${grouped(badServerFigures().calls)} calls to the other 16 were answered`;
}

function badServerFigures(): { readonly calls: string | undefined; readonly p99: string | undefined } {
  const [size = "", found = ""] = rowOf(
    FAULTS,
    "one dead, one mute, one flooding and one dying server among twenty",
  );
  const [calls] = groups(FAULTS, size, /^(\d+) calls to the other sixteen$/);
  const [p99] = groups(FAULTS, found, /^all answered, .*p99 ([\d.]+) ms/);
  return { calls, p99 };
}

function killedServers(): string {
  const { kills, repeated, worst } = killFigures();
  return `${kills} kills: ${repeated} side effects repeated; the next call was answered within ${worst} ms at worst`;
}

function repeatedEffects(): string {
  const { kills, repeated } = killFigures();
  return `${kills} servers killed during a call, ${repeated} side effects repeated`;
}

function killFigures(): Readonly<Record<"kills" | "repeated" | "worst", string>> {
  const [size = "", found = ""] = rowOf(FAULTS, "B1 server SIGKILLed in a call");
  const [kills] = groups(FAULTS, size, /^(\d+) kills/);
  const [repeated = "", worst = ""] = groups(
    FAULTS,
    found,
    /^(\d+) side effects repeated, .*worst next answer after (\d+) ms/,
  );
  return { kills: grouped(kills), repeated, worst };
}

function killedOwners(): string {
  const [size = "", found = ""] = rowOf(FAULTS, "kill -9 of an owner of eight shapes of tree");
  const [kills] = groups(FAULTS, size, /^(\d+) kills/);
  const [survivors] = groups(FAULTS, found, /^(\d+) survivors/);
  return `${grouped(kills)} × \`kill -9\` of the owner, with 8 shapes of process trees: ${survivors} survivors`;
}

/** `18 of 18` for each of the two revisions. */
function scoresOf(who: "client" | "server" | "gateway"): readonly string[] {
  const text = readDocument(CONFORMANCE);
  const found = [...text.matchAll(new RegExp(`^## ${who}, [\\d-]+: (\\d+ of \\d+)$`, "gm"))];
  if (found.length !== 2) throw new Error(`${CONFORMANCE} does not have two headings "## ${who}, …: N of N"`);
  return found.map(([, score = ""]) => score);
}

function conformance(): string {
  const [client, server, gateway] = (["client", "server", "gateway"] as const).map((who) =>
    scoresOf(who).join(" and "),
  );
  const through = gateway === server ? "the same" : gateway;
  return `client ${client}, logins included, server ${server}, ${through} through the gateway`;
}

/** The scenarios that the suite runs without scoring them, and that fail. */
function unscoredFailures(start = ""): readonly string[] {
  const lines = readDocument(CONFORMANCE).matchAll(
    /^Run but not scored by the suite, not passed \(\d+\): (.+)\.$/gm,
  );
  const names = [...lines].flatMap(([, list = ""]) => list.replaceAll("`", "").split(", "));
  return [...new Set(names)].filter((name) => name.startsWith(start));
}

function scenarios(): string {
  const pairs = [...scoresOf("client"), ...scoresOf("server")].map((score) =>
    score.split(" of ").map(Number),
  );
  const passed = pairs.reduce((sum, [each = NaN]) => sum + each, 0);
  const scored = pairs.reduce((sum, [, each = NaN]) => sum + each, 0);
  const share = passed === scored ? `all ${scored}` : `${passed} of ${scored}`;
  return `${share} scored scenarios of the public conformance suite pass; of those on tasks, skills and caching all but ${unscoredFailures("tasks").length}, which the suite itself skips`;
}

function unscoredScenarios(): string {
  const [dpop, tasks] = [unscoredFailures("auth/dpop"), unscoredFailures("tasks-")];
  if (dpop.length + tasks.length !== unscoredFailures().length)
    throw new Error(`${CONFORMANCE} has unscored failures other than those of tasks and DPoP`);
  const named = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(" and ");
  return `the client fails ${named(dpop)}, in both revisions, and ${named(tasks)} passes nowhere`;
}

function suiteVersion(): string {
  const [suite] = groups(CONFORMANCE, readDocument(CONFORMANCE), /the suite (`\S+` \S+) against/);
  return `The suite is ${suite}.`;
}

function sdkVersion(): string {
  const [version] = groups(CONFORMANCE, readDocument(CONFORMANCE), /, MCP SDK ([\d.]+)\.$/m);
  return `are those of the MCP SDK ${version}.`;
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

/** The other gateways, each with its version and the share of identical steps. */
function otherGateways(): readonly (readonly [name: string, share: string])[] {
  const rows = readDocument(TRANSPARENCY).matchAll(
    /^\| ((?!indus )\S+ [\d.]+) (?:\| \d+ ){6}\| ([\d.]+) % \| [\d.]+ % \|$/gm,
  );
  return [...rows].map(([, name = "", share = ""]) => [name, share] as const);
}

function steps(): string {
  const { steps: all, identical, different } = gatewayCounts();
  const share = Math.round((identical / all) * 100);
  if (different > 0) throw new Error(`${TRANSPARENCY} has differences without a reason`);
  const others = otherGateways();
  const names = others.map(([name]) => name).join(", ");
  const best = Math.round(Math.max(...others.map(([, each]) => Number(each))));
  return `of ${grouped(all)} protocol steps through the gateway ${share} % were identical to a direct connection, ${100 - share} % differed for a listed reason; best of ${names.replace(/, (?=[^,]*$)/, " and ")}: ${best} %`;
}

function gatewayShares(): string {
  const shares = otherGateways().map(([name, share]) => `${name} ${share} %`);
  return `through other gateways were identical for: ${shares.join(", ")}.`;
}

function tokens(mode: Mode): string {
  return rowOf(CONTEXT, "1,000", mode)[1]?.replace(" |", "") ?? "";
}

function listedTokens(): string {
  return `1,000 tools cost ${tokens("all")} tokens, ${tokens("search")} with the search, ${tokens("code")} in code mode; twelve tasks ${workflows(
    "tokens",
  )
    .join(", ")
    .replace(/, (?=[^ ]*$)/, " and ")}`;
}

const MODES = ["all", "search", "code"] as const;
type Mode = (typeof MODES)[number];

/** What the twelve workflows take together, in the order of the modes. */
function workflows(column: "turns" | "tokens"): readonly string[] {
  const [, cells = ""] = / KB \| turns \| tokens \| ms \|$[\s\S]*?^\| all \| \d+ \| [\d,]+ \| (.*) \|$/m.exec(
    readDocument(CONTEXT),
  ) ?? [""];
  const [turns = "", all = ""] = cells.split(" | ");
  return (column === "turns" ? turns : all).split(" / ");
}

function modes(): string {
  const [turns, all] = [workflows("turns"), workflows("tokens")];
  return MODES.map((mode, at) => `| \`${mode}\` | ${tokens(mode)} | ${turns[at]} | ${all[at]} |`).join("\n");
}

function searchTarget(): string {
  const [, target = "", verdict = ""] = rowOf(CONTEXT, "recall@5 of the sentences kept apart");
  const [share] = groups(CONTEXT, target, /^≥ (\d+ %)$/);
  const result = verdict.startsWith("**missed**") ? "missed" : "met";
  return `Our own target, ${share} of bare sentences among the first five, is ${result}.`;
}

function context(): string {
  return `of 1,000 tools of real servers ${tokens("search")} tokens instead of ${tokens("all")}; the right tool is among the first five for ${recallAtFive("English, kept apart")} of users' bare sentences, and for ${recallAtFive("a model's queries")} of the queries`;
}

function recallAtFive(sentences: string): string {
  return rowOf(CONTEXT, sentences)[2] ?? "";
}

function foundTools(): string {
  const [tools] = groups(CONTEXT, readDocument(CONTEXT), /on the ([\d,]+) tools of the/);
  return `of ${tools} tools of real servers the right one is among the first five for ${recallAtFive("a model's queries")} of a model's queries, and for ${recallAtFive("English, kept apart")} of people's bare sentences`;
}

/** The medians of the cases whose ids match. */
function medians(ids: RegExp): readonly string[] {
  const [oldestNode = ""] = readDocument(BENCH).split(/^## Node (?!20$)/m);
  const rows = [...oldestNode.matchAll(/^\| ([\w-]+) \| .*? \| ([\d.]+) \| /gm)];
  const found = rows.filter(([, id = ""]) => ids.test(id)).map(([, , median = ""]) => median);
  if (found.length === 0) throw new Error(`${BENCH} has no case ${ids}`);
  return found.toSorted((a, b) => Number(a) - Number(b));
}

function range(ids: RegExp): string {
  const found = medians(ids);
  return `${found[0]} to ${found.at(-1)}`;
}

function bench(): string {
  return `${medians(/^stdio-call$/)[0]} of a plain client's of SDK 2, ${medians(/^stdio-call-64$/)[0]} with 64 calls at once; as a server ${range(/^host-(stdio|http)/)} of the SDK's server; through the gateway ${range(/^serve-calls-/)} of the fastest of three other gateways`;
}

const CLAIMS: readonly Claim[] = [
  { document: README, page: FAULTS, run: "npm run faults", sentence: answeredCalls },
  { document: README, page: FAULTS, run: "npm run faults", sentence: repeatedEffects },
  { document: README, page: TRANSPARENCY, run: "npm run transparency", sentence: steps },
  { document: README, page: CONFORMANCE, run: "npm run conformance", sentence: scenarios },
  { document: README, page: CONTEXT, run: "npm run context", sentence: listedTokens },
  { document: GUIDE, page: CONTEXT, run: "npm run context", sentence: foundTools },
  { document: GUIDE, page: CONTEXT, run: "npm run context", sentence: modes },
  { document: WHY, page: FAULTS, run: "npm run faults", sentence: faultCases },
  { document: WHY, page: FAULTS, run: "npm run faults", sentence: badServers },
  { document: WHY, page: FAULTS, run: "npm run faults", sentence: killedServers },
  { document: WHY, page: FAULTS, run: "npm run faults", sentence: killedOwners },
  { document: WHY, page: CONFORMANCE, run: "npm run conformance", sentence: conformance },
  { document: WHY, page: CONFORMANCE, run: "npm run conformance", sentence: unscoredScenarios },
  { document: WHY, page: CONFORMANCE, run: "npm run conformance", sentence: suiteVersion },
  { document: WHY, page: CONFORMANCE, run: "npm run conformance", sentence: sdkVersion },
  { document: WHY, page: TRANSPARENCY, run: "npm run transparency", sentence: transparency },
  { document: WHY, page: TRANSPARENCY, run: "npm run transparency", sentence: gatewayShares },
  { document: WHY, page: CONTEXT, run: "npm run context", sentence: context },
  { document: WHY, page: CONTEXT, run: "npm run context", sentence: searchTarget },
  { document: WHY, page: BENCH, run: "npm run bench", sentence: bench },
];

/** Finds the sentence with whatever figures it has. */
function withAnyFigures(sentence: string): RegExp {
  const literal = sentence.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  return new RegExp(literal.replaceAll(/\d(?:(?:[\d,]|\\\.)*\d)?/g, String.raw`\d(?:[\d.,]*\d)?`));
}

for (const { document, page, run, sentence } of CLAIMS) {
  verifies("docs:figures", `${document} states the figures of ${page}: ${sentence.name}`, () => {
    const wanted = sentence();
    const [stated = "no such sentence"] = withAnyFigures(wanted).exec(TEXTS[document]) ?? [];
    expect(stated, `${run} wrote new figures into ${page}. Write into ${document}: "${wanted}"`).toBe(wanted);
  });
}

/** Figures that no run writes: the revision of MCP, the plain client that times are compared with, and the first SDK. */
const PLAIN_FIGURES = { [README]: [], [WHY]: ["2026-07-28", "1", "1"] } as const;

for (const document of [README, WHY] as const) {
  verifies("docs:figures", `${document} states no figure that is not compared with a page`, () => {
    const claims = CLAIMS.filter((claim) => claim.document === document);
    const rest = claims.reduce(
      (text, { sentence }) => text.replace(withAnyFigures(sentence()), ""),
      TEXTS[document],
    );
    const figures = rest.match(/\d[\d.,-]*/g) ?? [];
    expect(figures, "Add the sentence of each other figure to test/readme-figures.test.ts").toEqual(
      PLAIN_FIGURES[document],
    );
  });
}

verifies(
  "docs:honest",
  "the gateway of the transparency run lost no connection, and changed nothing without a reason",
  () => {
    expect(gatewayCounts()).toMatchObject({ lost: 0, different: 0 });
  },
);
