import type { Listing, Measured, Recall } from "./measure.ts";

/** What should be reached, and what was. */
export interface Target {
  readonly what: string;
  readonly measured: string;
  readonly target: string;
  readonly isMet: boolean;
}

export function targetsOf({ listings, recalls }: Measured): readonly Target[] {
  const apart = recalls[0]?.[1];
  const search = listings.find(({ mode, of }) => mode === "search" && of === 1_000);
  const share = (what: string, value: number | undefined, least: number): Target => ({
    what: `${what} of the sentences kept apart`,
    measured: percent(value ?? 0),
    target: `≥ ${percent(least)}`,
    isMet: (value ?? 0) >= least,
  });
  return [
    {
      what: "tokens listed in search mode, of 1,000 tools",
      measured: amount(search?.tokens ?? Number.NaN),
      target: "≤ 1,500",
      isMet: (search?.tokens ?? Infinity) <= 1_500,
    },
    share("recall@5", apart?.at5, 0.9),
    share("recall@10", apart?.at10, 0.95),
  ];
}

/** The page `docs/context.md`. `where` names the date, the Node version and the platform of the run. */
export function contextPage(measured: Measured, where: string): string {
  const { servers, tools, listings, recalls, withCommonWord } = measured;
  return [
    "# Context",
    "",
    `Written by \`npm run context\` (${where}), on the ${amount(tools)} tools of the ${servers} public servers of \`npm run fleet\`. Tokens are an estimate: one`,
    "for four bytes of the name, description and parameters of each listed tool, which is about a tenth more than a tokenizer of current models counts (o200k).",
    "",
    "| figure | measured | target | |",
    "|---|---|---|---|",
    ...targetsOf(measured).map(targetRow),
    "",
    "## Tokens that a list of tools costs in every request",
    "",
    "`all` lists every tool; `search` is an economized box with its defaults (`economize(box)`).",
    "",
    "| tools | mode | listed | tokens |",
    "|---|---|---|---|",
    ...listings.map(listingRow),
    "",
    "## Which tools a search finds",
    "",
    "`context/tasks.json` has sentences of what people want done, each with the tools that do it; any one of them counts. They were written before the search was tuned, without the descriptions, often in other words. A tenth,",
    "chosen by a hash of the sentence, is kept apart: nothing was tuned on it. Recall@5 is the share of sentences with a right tool among the first five results; an answer of `tool_search` has ten with signatures and names thirty more.",
    "",
    `The index learns only from the catalogue: it knows no word that no tool uses. Of the sentences kept apart, ${percent(withCommonWord)} have a word in common with one of their tools or with the name of its server. For the others, and for`,
    "those that share only a common word, such an index finds the right tool by chance. Word vectors learned from the catalogue (PPMI and LSA of its texts) were tried as well; they changed recall@5 by less than 6 points.",
    "",
    "In use, a model reads the sentence and writes the query, and `tool_search` asks it for the service, the action and other words. The last rows are such queries, one for each sentence, in English. A language model wrote",
    "them once, without corrections, from the sentence and the definition of `tool_search`, which names the servers; it did not see the tools. The search was not tuned on these queries.",
    "",
    "| sentences | number | recall@1 | recall@5 | recall@10 | named in the answer |",
    "|---|---|---|---|---|---|",
    ...recalls.map(recallRow),
    "",
    "How long the index and a search take is in [the bench](bench.md): `tool-index`, `tool-index-change` and `tool-search`.",
    "",
    "Sentences used for tuning whose tool is not among the first ten:",
    "",
    ...missedRows(recalls[1]?.[1]),
    "",
  ].join("\n");
}

function targetRow({ what, measured, target, isMet }: Target): string {
  return `| ${what} | ${measured} | ${target} | ${isMet ? "met" : "**missed**"} |`;
}

function listingRow({ mode, of, listed, tokens }: Listing): string {
  return `| ${amount(of)} | ${mode} | ${amount(listed)} | ${amount(tokens)} |`;
}

function recallRow([name, { tasks, at1, at5, at10, named }]: readonly [string, Recall]): string {
  return `| ${name} | ${tasks} | ${percent(at1)} | ${percent(at5)} | ${percent(at10)} | ${percent(named)} |`;
}

function missedRows(recall: Recall | undefined): readonly string[] {
  return (recall?.missed ?? []).map(({ task, tools }) => `- ${task} (\`${tools[0]}\`)`);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

function amount(value: number): string {
  return value.toLocaleString("en-US");
}
