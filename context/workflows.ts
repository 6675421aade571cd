import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FleetServer } from "../fleet/server-list.ts";

/** Something that needs several calls, as a person asks for it, and as a program that does it. */
export interface Workflow {
  /** The sentence. `DIR` stands for the folder with the files. */
  readonly task: string;
  /** What a model searches for, where tools are not listed. */
  readonly searches: readonly string[];
  /** The body of the program. */
  readonly program: string;
}

/** The servers, at fixed versions. All run without a network; sqlite is in no list of the fleet. */
export const WORKFLOW_SERVERS: ReadonlySet<string> = new Set(["filesystem", "git", "memory", "sqlite"]);

export const SQLITE: FleetServer = {
  name: "sqlite",
  package: "sqlite-mcp",
  version: "0.0.1",
  bin: "sqlite-mcp",
  args: [],
  env: { DATABASE_URL: "${DATA}/shop.db" },
};

const ROWS = `const rows = async (query) =>
  JSON.parse(/<rows>(.*)<\\/rows>/s.exec(await sqlite.executeQuery({ query }))[1]);`;

/** Written by us. Each makes two to eight calls. */
export const WORKFLOWS: readonly Workflow[] = [
  {
    task: "Which five addresses caused the most failed requests in DIR/access.log? Save the list as DIR/failures.txt.",
    searches: ["filesystem read write text file"],
    program: `
const { content } = await filesystem.readTextFile({ path: "DIR/access.log" });
const failed = new Map();
for (const line of content.split("\\n")) {
  const [address, , , , , , status] = line.split(" ");
  if (Number(status) >= 500) failed.set(address, (failed.get(address) ?? 0) + 1);
}
const worst = [...failed].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 5);
await filesystem.writeFile({ path: "DIR/failures.txt", content: worst.map((each) => each.join(" ")).join("\\n") });
return worst;`,
  },
  {
    task: "Add up the orders in DIR/orders.csv by customer, and store the ten largest sums in a new table best of the database.",
    searches: ["filesystem read text file", "sqlite execute query insert create table"],
    program: `
const { content } = await filesystem.readTextFile({ path: "DIR/orders.csv" });
const sums = new Map();
for (const line of content.trim().split("\\n").slice(1)) {
  const [, customer, cents] = line.split(",");
  sums.set(customer, (sums.get(customer) ?? 0) + Number(cents));
}
const best = [...sums].sort((a, b) => b[1] - a[1]).slice(0, 10);
await sqlite.executeQuery({ query: "create table best (customer text primary key, cents integer)" });
const values = best.map(([customer, cents]) => \`('\${customer}', \${cents})\`).join(", ");
await sqlite.executeQuery({ query: \`insert into best values \${values}\` });
return best;`,
  },
  {
    task: "Which customers of the database are missing in the export DIR/crm.json, and which of the export in the database?",
    searches: ["filesystem read text file", "sqlite execute query select"],
    program: `
${ROWS}
const [customers, crm] = await Promise.all([
  rows("select id, name from customers"),
  filesystem.readTextFile({ path: "DIR/crm.json" }),
]);
const exported = new Set(JSON.parse(crm.content).map(({ id }) => id));
const known = new Set(customers.map(({ id }) => id));
return {
  missingInExport: [...known].filter((id) => !exported.has(id)),
  missingInDatabase: [...exported].filter((id) => !known.has(id)),
};`,
  },
  {
    task: "Who wrote how many of the last 300 commits in DIR/shop, and what are their three latest subjects each?",
    searches: ["git log commits of a repository author", "filesystem write file"],
    program: `
const { commits } = await git.gitLog({ path: "DIR/shop", maxCount: 300 });
const people = {};
for (const { author, subject } of commits) {
  const person = (people[author] ??= { commits: 0, latest: [] });
  person.commits += 1;
  if (person.latest.length < 3) person.latest.push(subject);
}
await filesystem.writeFile({ path: "DIR/people.json", content: JSON.stringify(people, null, 1) });
return people;`,
  },
  {
    task: "Write the release notes of DIR/shop since the tag v1.0, grouped by feat, fix and docs, to DIR/NOTES.md.",
    searches: ["git list tags, log commits since", "filesystem write file"],
    program: `
const { tags } = await git.gitTag({ path: "DIR/shop" });
const tag = tags.find(({ name }) => name === "v1.0");
if (!tag) throw new Error("there is no tag v1.0");
const { commits } = await git.gitLog({ path: "DIR/shop", maxCount: 1000 });
const end = commits.findIndex(({ hash }) => hash.startsWith(tag.commit) || tag.commit.startsWith(hash));
const groups = { feat: [], fix: [], docs: [] };
for (const { subject, shortHash } of commits.slice(0, end < 0 ? undefined : end)) {
  const [kind, ...text] = subject.split(": ");
  groups[kind]?.push(\`- \${text.join(": ")} (\${shortHash})\`);
}
const notes = Object.entries(groups).map(([kind, lines]) => \`## \${kind}\\n\${lines.join("\\n")}\`).join("\\n\\n");
await filesystem.writeFile({ path: "DIR/NOTES.md", content: notes });
return Object.fromEntries(Object.entries(groups).map(([kind, lines]) => [kind, lines.length]));`,
  },
  {
    task: "Keep in memory which service of DIR/services needs which other one, from their JSON files.",
    searches: ["filesystem list directory, read multiple files", "memory create entities and relations"],
    program: `
const { content } = await filesystem.listDirectory({ path: "DIR/services" });
const names = content.split("\\n").map((line) => line.replace("[FILE] ", ""));
const texts = await filesystem.readMultipleFiles({ paths: names.map((name) => "DIR/services/" + name) });
const services = texts.content.split("\\n---\\n").map((part) => JSON.parse(part.slice(part.indexOf("{"))));
await memory.createEntities({
  entities: services.map(({ name, team }) => ({ name, entityType: "service", observations: ["team " + team] })),
});
const relations = services.flatMap(({ name, needs }) => needs.map((to) => ({ from: name, to, relationType: "needs" })));
await memory.createRelations({ relations });
return { services: services.length, relations: relations.length };`,
  },
  {
    task: "Delete what nothing in the memory is related to, and tell me what had the most relations.",
    searches: ["memory read graph, delete entities"],
    program: `
const { entities, relations } = await memory.readGraph();
const count = new Map(entities.map(({ name }) => [name, 0]));
for (const { from, to } of relations)
  for (const name of [from, to]) count.set(name, (count.get(name) ?? 0) + 1);
const lonely = [...count].filter(([, n]) => n === 0).map(([name]) => name);
await memory.deleteEntities({ entityNames: lonely });
return { deleted: lonely.length, most: [...count].sort((a, b) => b[1] - a[1]).slice(0, 3) };`,
  },
  {
    task: "What did we earn each month in euros? Orders and their currencies are in the database, the rates in DIR/rates.json. Save a CSV as DIR/months.csv.",
    searches: ["sqlite execute query select", "filesystem read text file, write file"],
    program: `
${ROWS}
const [orders, rates] = await Promise.all([
  rows("select day, cents, currency from orders"),
  filesystem.readTextFile({ path: "DIR/rates.json" }),
]);
const perEuro = JSON.parse(rates.content);
const months = {};
for (const { day, cents, currency } of orders) {
  const month = day.slice(0, 7);
  months[month] = (months[month] ?? 0) + cents / perEuro[currency] / 100;
}
const lines = Object.entries(months).sort().map(([month, sum]) => \`\${month},\${sum.toFixed(2)}\`);
await filesystem.writeFile({ path: "DIR/months.csv", content: lines.join("\\n") });
return lines;`,
  },
  {
    task: "Rename the setting timeout to timeoutMs in all JSON files below DIR/services that have it.",
    searches: ["filesystem search files, read multiple files, edit file"],
    program: `
const found = await filesystem.searchFiles({ path: "DIR/services", pattern: "*.json" });
const paths = found.content.split("\\n");
const { content } = await filesystem.readMultipleFiles({ paths });
const affected = paths.filter((path, at) => content.split("\\n---\\n")[at].includes('"timeout":'));
await Promise.all(
  affected.map((path) =>
    filesystem.editFile({ path, edits: [{ oldText: '"timeout":', newText: '"timeoutMs":' }] }),
  ),
);
return affected;`,
  },
  {
    task: "Which files in DIR/reports have the same text? Name the groups.",
    searches: ["filesystem list directory with sizes, read text file"],
    program: `
const { content } = await filesystem.listDirectoryWithSizes({ path: "DIR/reports" });
const files = [...content.matchAll(/\\[FILE\\] (\\S+)\\s+([\\d.]+ \\w+)/g)].map(([, name, size]) => ({ name, size }));
const sizes = files.map(({ size }) => size);
const candidates = files.filter(({ size }) => sizes.indexOf(size) !== sizes.lastIndexOf(size));
const texts = await Promise.all(
  candidates.map(({ name }) => filesystem.readTextFile({ path: "DIR/reports/" + name })),
);
const groups = {};
for (const [at, { content }] of texts.entries()) (groups[content] ??= []).push(candidates[at].name);
return Object.values(groups).filter((names) => names.length > 1);`,
  },
  {
    task: "Which orders of the last month in the database are not in the archive DIR/archive.txt? Add them to it.",
    searches: ["sqlite execute query select", "filesystem read text file, write file"],
    program: `
${ROWS}
const [{ last }] = await rows("select max(substr(day, 1, 7)) as last from orders");
const [orders, archive] = await Promise.all([
  rows(\`select id, day, customer, cents from orders where day like '\${last}%'\`),
  filesystem.readTextFile({ path: "DIR/archive.txt" }),
]);
const archived = new Set(archive.content.split("\\n").map((line) => Number(line.split(" ")[0])));
const missing = orders.filter(({ id }) => !archived.has(id));
const lines = missing.map(({ id, day, customer, cents }) => [id, day, customer, cents].join(" "));
await filesystem.writeFile({ path: "DIR/archive.txt", content: archive.content + lines.join("\\n") + "\\n" });
return missing.map(({ id }) => id);`,
  },
  {
    task: "Which commits in DIR/shop changed pay.js, by whom, and does any of the last five of them mention a customer of the database by name?",
    searches: ["git log of a file, show commit", "sqlite execute query select"],
    program: `
${ROWS}
const { commits } = await git.gitLog({ path: "DIR/shop", filePath: "pay.js", maxCount: 200 });
const [customers, ...shown] = await Promise.all([
  rows("select name from customers"),
  ...commits.slice(0, 5).map(({ hash }) => git.gitShow({ path: "DIR/shop", object: hash })),
]);
const texts = shown.map((each) => JSON.stringify(each));
return {
  changes: commits.length,
  authors: [...new Set(commits.map(({ author }) => author))],
  mentioned: customers.map(({ name }) => name).filter((name) => texts.some((text) => text.includes(name))),
};`,
  },
];

/** A workflow whose files are in this folder. */
export function workflowIn(folder: string, { task, searches, program }: Workflow): Workflow {
  return {
    task: task.replaceAll("DIR", folder),
    searches,
    program: program.trim().replaceAll("DIR", folder),
  };
}

const CUSTOMERS = 1_500;
const ORDERS = 6_000;

/** Writes the files and the repository anew, the same each time. */
export function writeData(folder: string, memoryFile: string): void {
  rmSync(folder, { recursive: true, force: true });
  for (const name of ["services", "reports", "shop"]) mkdirSync(join(folder, name), { recursive: true });
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const random = randomNumbers();
  const pick = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(random() * values.length)] as Value;
  const logged = Array.from({ length: 16_000 }, (_, at) => {
    const address = `10.0.${Math.floor(random() ** 2 * 20)}.${Math.floor(random() * 30)}`;
    return `${address} - - [${at}] GET /item/${Math.floor(random() * 1e6)}?session=${random().toString(36).slice(2, 10)} ${pick([200, 200, 200, 404, 500, 503])} ${Math.floor(random() * 1e5)}`;
  });
  write("access.log", logged.join("\n"));
  write("orders.csv", csvOf(ordersOf(random)));
  const exported = Array.from({ length: CUSTOMERS }, (_, id) => ({
    id,
    name: nameOf(id),
    mail: `${id}@shop.test`,
  }));
  write(
    "crm.json",
    JSON.stringify(
      exported.filter(({ id }) => id % 311 !== 5).concat({ id: 9_999, name: "Nobody", mail: "" }),
    ),
  );
  write("rates.json", JSON.stringify({ EUR: 1, USD: 1.08, GBP: 0.85, JPY: 162.4 }));
  write(
    "archive.txt",
    `${ordersOf(randomNumbers())
      .filter(({ id, day }) => day.startsWith("2026-10") && id % 400 !== 0)
      .map(({ id, day, customer, cents }) => `${id} ${day} ${customer} ${cents}`)
      .join("\n")}\n`,
  );
  for (let at = 0; at < 12; at++) {
    const needs = [`service-${(at * 5 + 1) % 12}`, `service-${(at * 7 + 3) % 12}`];
    const settings = at % 3 === 0 ? { timeout: 1_000 + at } : { retries: at };
    const notes = Array.from({ length: 20 }, () => random().toString(36)).join(" ");
    write(
      `services/service-${at}.json`,
      JSON.stringify({ name: `service-${at}`, team: pick(["blue", "red"]), needs, settings, notes }, null, 2),
    );
  }
  const report = (seed: number): string =>
    Array.from({ length: 1_000 }, (_, at) => `line ${at} of ${seed % 3}, ${(at * seed) % 97}`).join("\n");
  for (const [at, seed] of [1, 4, 1, 7, 10, 4, 2].entries()) write(`reports/report-${at}.txt`, report(seed));
  write("reports/short.txt", "nothing");
  writeFileSync(memoryFile, graphText());
  writeRepository(join(folder, "shop"));
}

interface Order {
  readonly id: number;
  readonly customer: string;
  readonly cents: number;
  readonly day: string;
  readonly currency: string;
}

function ordersOf(random: () => number): readonly Order[] {
  return Array.from({ length: ORDERS }, (_, id) => ({
    id,
    customer: `customer-${Math.floor(random() ** 2 * 300)}`,
    cents: Math.floor(random() * 20_000),
    day: `2026-${String(1 + Math.floor((id * 10) / ORDERS)).padStart(2, "0")}-${String(1 + (id % 28)).padStart(2, "0")}`,
    currency: ["EUR", "USD", "GBP", "JPY"][id % 4] as string,
  }));
}

function csvOf(orders: readonly Order[]): string {
  return [
    "id,customer,cents,day",
    ...orders.map(({ id, customer, cents, day }) => [id, customer, cents, day].join(",")),
  ].join("\n");
}

function nameOf(id: number): string {
  return `${["Ada", "Grace", "Alan", "Edsger", "Barbara"][id % 5]} ${["Stone", "Rivers", "Hill", "Woods"][id % 4]} ${id}`;
}

/** Fills the database. The statements are calls of the server, which are not measured. */
export function databaseStatements(): readonly string[] {
  const orders = ordersOf(randomNumbers()).map(
    ({ id, customer, cents, day, currency }) => `(${id}, '${customer}', ${cents}, '${day}', '${currency}')`,
  );
  const customers = Array.from({ length: CUSTOMERS }, (_, id) => `(${id}, '${nameOf(id)}')`);
  return [
    ...["best", "orders", "customers"].map((table) => `drop table if exists ${table}`),
    "create table orders (id integer primary key, customer text, cents integer, day text, currency text)",
    "create table customers (id integer primary key, name text)",
    `insert into orders values ${orders.join(",")}`,
    `insert into customers values ${customers.join(",")}`,
  ];
}

function graphText(): string {
  const entities = Array.from({ length: 300 }, (_, at) => ({
    type: "entity",
    name: `thing-${at}`,
    entityType: "thing",
    observations: [`seen ${at} times`, `kept on shelf ${at % 17}`],
  }));
  const relations = Array.from({ length: 400 }, (_, at) => ({
    type: "relation",
    from: `thing-${(at * 7) % 280}`,
    to: `thing-${(at * at) % 280}`,
    relationType: "near",
  }));
  // The server keeps the graph as a set of lines.
  return [...new Set([...entities, ...relations].map((each) => JSON.stringify(each)))].join("\n");
}

/** 320 commits by one stream of `git fast-import`: a process for each would take long. */
function writeRepository(folder: string): void {
  const people = ["Ada", "Grace", "Alan"];
  const kinds = ["feat", "fix", "docs", "chore"];
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const commits = Array.from({ length: 320 }, (_, at) => {
    const who = people[(at * at) % 3] as string;
    const stamp = `${who} <${who.toLowerCase()}@shop.test> ${1_760_000_000 + at * 3_600} +0000`;
    const file = at % 16 === 0 ? "pay.js" : `part-${at % 9}.js`;
    const text = Array.from(
      { length: 40 },
      (_, line) => `export const value${line} = ${(at * line) % 89};`,
    ).join("\n");
    const mention = at === 304 ? `\n// for ${nameOf(42)}` : "";
    return [
      `commit refs/heads/main\nmark :${at + 1}\nauthor ${stamp}\ncommitter ${stamp}\n`,
      data(`${kinds[at % 4]}: change ${at} of ${file}`),
      at === 0 ? "" : `from :${at}\n`,
      `M 100644 inline ${file}\n${data(text + mention)}`,
    ].join("");
  });
  const git = (args: readonly string[], input?: string): void =>
    void execFileSync("git", ["-C", folder, ...args], { input, stdio: ["pipe", "ignore", "pipe"] });
  git(["init", "--quiet", "--initial-branch=main"]);
  git(["fast-import", "--quiet"], `${commits.join("")}reset refs/tags/v1.0\nfrom :200\n`);
  git(["reset", "--quiet", "--hard", "main"]);
}

/** The same numbers each time. */
function randomNumbers(): () => number {
  let seed = 1;
  return () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
}
