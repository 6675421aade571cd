import { execFileSync } from "node:child_process";
import { arch, cpus, platform } from "node:os";
import { isMet, type Proof } from "./proof.ts";

/** A proof, and when it was made. */
export interface ProvenPart extends Omit<Proof, "texts"> {
  readonly date: string;
  readonly seconds: number;
}

export function clusterPage(
  parts: readonly (readonly [string, ProvenPart | undefined])[],
  { node, nats }: { readonly node: string; readonly nats: string },
): string {
  const version = execFileSync(nats, ["--version"], { encoding: "utf8" }).trim();
  const where = `Node ${node}, ${version}, ${platform()} ${arch()}, ${cpus().length} cores, all processes on one machine`;
  const summary = parts.map(([name, part]) => {
    if (!part) return `| ${name} | not run yet | |`;
    const missed = part.goals.filter((goal) => !isMet(goal)).length;
    return `| [${part.title}](#${anchor(part.title)}) | ${missed === 0 ? "holds" : `**${missed} missed**`} | ${part.date} |`;
  });
  const sections = parts.flatMap(([, part]) => (part ? [section(part)] : []));
  return `# What a cluster keeps

\`npm run cluster\` writes this page: three real NATS servers, gateways and workers as processes, and real clients. ${where}. Parts can be run alone (\`npm run cluster -- NAME\`); each shows its date.

| proof | verdict | date |
| --- | --- | --- |
${summary.join("\n")}

${sections.join("\n")}`;
}

function section({ title, did, goals, notes, seconds }: ProvenPart): string {
  const rows = goals.map(
    (goal) => `| ${goal.goal} | ${goal.wanted} | ${isMet(goal) ? goal.found : `**${goal.found}**`} |`,
  );
  return `## ${title}

${did} ${seconds} s.

| what | wanted | found |
| --- | --- | --- |
${rows.join("\n")}

${notes.map((note) => `- ${note}`).join("\n")}
`;
}

function anchor(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, "")
    .replaceAll(" ", "-");
}
