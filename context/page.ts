import type { Listing, Measured, Recall } from "./measure.ts";
import {
  type Effort,
  type MeasuredWorkflows,
  WORKFLOW_MODES,
  type WorkflowMode,
} from "./measure-workflows.ts";

/** What should be reached, and what was. */
export interface Target {
  readonly what: string;
  readonly measured: string;
  readonly target: string;
  readonly isMet: boolean;
}

export function targetsOf(measured: Measured): readonly Target[] {
  const { listings, apart, queries, shortQueries, names, wireNames, searchMs } = measured;
  const search = listings.find(({ mode, of }) => mode === "search" && of === 1_000);
  const share = (what: string, value: number, { tasks }: Recall, least: number): Target => ({
    what,
    measured: `${exact(value)} (${intervalText(value, tasks)})`,
    target: `≥ ${least} %`,
    isMet: value * 100 >= least,
  });
  return [
    {
      what: "tokens listed in search mode, of 1,000 tools",
      measured: amount(search?.tokens ?? Number.NaN),
      target: "≤ 1,500",
      isMet: (search?.tokens ?? Infinity) <= 1_500,
    },
    share("recall@5 of the sentences kept apart", apart.at5, apart, 68),
    share("recall@10 of the sentences kept apart", apart.at10, apart, 80),
    share("named in the answer for the sentences kept apart", apart.named, apart, 93),
    share("recall@5 of a model's queries", queries.at5, queries, 98),
    share("recall@5 of these queries cut short", shortQueries.at5, shortQueries, 93),
    share("recall@10 of these queries cut short", shortQueries.at10, shortQueries, 96),
    share("recall@1 of server and words of the name", names.at1, names, 97),
    share("recall@5 of server and words of the name", names.at5, names, 99.5),
    share("recall@1 of names in lists", wireNames.at1, wireNames, 100),
    {
      what: "a search for a sentence, median in milliseconds",
      measured: searchMs.toFixed(1),
      target: "≤ 3",
      isMet: searchMs <= 3,
    },
  ];
}

/** The page `docs/context.md`. `where` names the date, the Node version and the platform of the run. */
export function contextPage(measured: Measured, workflows: MeasuredWorkflows, where: string): string {
  const { servers, tools, listings, recalls, tuned } = measured;
  return [
    "# Context",
    "",
    `Written by \`npm run context\` (${where}), on the ${amount(tools)} tools of the ${servers} public servers of \`npm run fleet\`. Tokens are an estimate: one`,
    "for four bytes of the name, description and parameters of each listed tool, which is about a tenth more than a tokenizer of current models counts (o200k).",
    "",
    "| figure | measured (95 % interval) | target | |",
    "|---|---|---|---|",
    ...targetsOf(measured).map(targetRow),
    "",
    "## Tokens that a list of tools costs in every request",
    "",
    '`all` lists every tool; `search` is an economized box with its defaults (`economize(box)`), and `code` one in code mode (`economize(box, { mode: "code" })`).',
    "",
    "| tools | mode | listed | tokens |",
    "|---|---|---|---|",
    ...listings.map(listingRow),
    "",
    ...workflowLines(workflows),
    "## Which tools a search finds",
    "",
    "`context/tasks.json` has sentences of what people want done, each with the tools that do it; any one of them counts. They were written before the search was tuned, without the descriptions, often in other words. A tenth,",
    "chosen by a hash of the sentence, is kept apart: nothing was tuned on it. Recall@5 is the share of sentences with a right tool among the first five results; an answer of `tool_search` has ten with signatures and names thirty more.",
    "",
    "Most of the sentences kept apart, those in `context/kept-apart.json`, were written by someone else, who knew only the names of servers, and not the tools, the search or its lexicon. Of 130 such sentences 27 were left out: their server is not in the fleet, or has no",
    "tool for it. Few of the others name the service. The right tools were chosen from the list of all tools, without a search, by the author of the lexicon, who had to read the sentences for it; lexicon and weights were there already. Afterwards the lexicon got words only for",
    "sentences used for tuning, also without the name of their service, for sentences about tools that are right for none of those kept apart, and for what 325 sentences showed that its second author wrote from the names of servers and tools; before their words were in it, these had a recall@5",
    "of 57 to 64 %. Nobody has looked at which of the sentences kept apart fail; while the lexicon grew, their shares were read twice.",
    "",
    "An index that learns only from the catalogue knows no word that no tool uses. So the search has a [lexicon](../packages/indusagi/src/runtime/economy/search/lexicon.ts) of everyday English, 40 KB ([decision 65](decisions/0065-a-lexicon-of-everyday-english.md)). Before it, the sentences kept apart had a recall@5 of 46 %, a recall@10 of 54 %, and 74 % were named in the answer.",
    "The lexicon is in English; for other languages a model writes the query.",
    "",
    "In use, a model reads the sentence and writes the query, and `tool_search` asks it for the service, the action and other words. The rows below are such queries, one for each sentence of `tasks.json`, in English. A language model wrote",
    "them once, without corrections, from the sentence and the definition of `tool_search`, which names the servers; it did not see the tools. They only guard: weights were not tuned on them, but a change that made them worse was not taken.",
    "",
    "| sentences | number | recall@1 | recall@5 | recall@10 | named in the answer |",
    "|---|---|---|---|---|---|",
    ...recalls.map(recallRow),
    "",
    "How long the index and a search take is in [the bench](bench.md): `tool-index`, `tool-index-change` and `tool-search`.",
    "",
    "Sentences used for tuning whose tool is not among the first ten:",
    "",
    ...missedRows(tuned),
    "",
  ].join("\n");
}

/** What twelve workflows take in each mode. */
function workflowLines({ tools, workflows }: MeasuredWorkflows): readonly string[] {
  const sum = (mode: WorkflowMode, part: keyof Effort): number =>
    workflows.reduce((total, { efforts }) => total + efforts[mode][part], 0);
  const cells = (part: keyof Effort): string =>
    WORKFLOW_MODES.map((mode) => amount(Math.round(sum(mode, part)))).join(" / ");
  const calls = workflows.reduce((total, each) => total + each.calls, 0);
  const bytes = workflows.reduce((total, each) => total + each.bytes, 0);
  return [
    "## Single calls, or one program",
    "",
    `${workflows.length} tasks on ${tools} tools of four servers that run without a network: filesystem, git, memory and sqlite (\`context/workflows.ts\`). The tasks and **the programs were written by us**, not by a model; a model may need several tries.`,
    "In code mode there is a turn with searches, one with the program, and the answer. In the other modes the same calls with the same results are made directly, those that do not depend on each other in one turn, by a model that makes no mistake, adds up a thousand rows in its head, and has room for all of them; in search mode after the same searches.",
    "",
    "Tokens are those of all requests together: each contains the list of tools and the conversation until then, as without a cache for prompts. The time, the median of three runs, is that of tools and programs, without the model's. Cells are all / search / code.",
    "",
    "| task | calls | their results, KB | turns | tokens | ms |",
    "|---|---|---|---|---|---|",
    ...workflows.map(({ task, calls: made, bytes: size, efforts }) => {
      const each = (part: keyof Effort): string =>
        WORKFLOW_MODES.map((mode) => amount(Math.round(efforts[mode][part]))).join(" / ");
      return `| ${task} | ${made} | ${amount(Math.round(size / 1024))} | ${each("turns")} | ${each("tokens")} | ${each("ms")} |`;
    }),
    `| all | ${calls} | ${amount(Math.round(bytes / 1024))} | ${cells("turns")} | ${cells("tokens")} | ${cells("ms")} |`,
    "",
  ];
}

function targetRow({ what, measured, target, isMet }: Target): string {
  return `| ${what} | ${measured} | ${target} | ${isMet ? "met" : "**missed**"} |`;
}

function listingRow({ mode, of, listed, tokens }: Listing): string {
  return `| ${amount(of)} | ${mode} | ${amount(listed)} | ${amount(tokens)} |`;
}

function recallRow([name, { tasks, at1, at5, at10, named }]: readonly [string, Recall]): string {
  return `| ${name} | ${amount(tasks)} | ${percent(at1)} | ${percent(at5)} | ${percent(at10)} | ${percent(named)} |`;
}

function missedRows({ missed }: Recall): readonly string[] {
  return missed.map(({ task, tools }) => `- ${task} (\`${tools[0]}\`)`);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

/** With a decimal where rounding would hide whether a target is met. */
function exact(share: number): string {
  return `${(share * 100).toFixed(1).replace(/\.0$/, "")} %`;
}

/** Wilson's interval for a share of `count` tries. It is about the sentences: others of the same kind would give such a share. */
export function confidence(share: number, count: number): readonly [low: number, high: number] {
  const z = 1.96;
  const middle = share + (z * z) / (2 * count);
  const spread = z * Math.sqrt((share * (1 - share)) / count + (z * z) / (4 * count * count));
  const scale = 1 + (z * z) / count;
  return [Math.max(0, (middle - spread) / scale), Math.min(1, (middle + spread) / scale)];
}

function intervalText(share: number, count: number): string {
  const [low, high] = confidence(share, Math.max(1, count));
  return `${(low * 100).toFixed(0)} to ${(high * 100).toFixed(0)} %`;
}

function amount(value: number): string {
  return value.toLocaleString("en-US");
}
