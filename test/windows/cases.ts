// Runs under the Windows build of Node: `run.ts` bundles and starts it.
//   node.exe cases.mjs ROOT FOLDER RESULTS [ID …]
// Appends one line of JSON to RESULTS when a case begins and one when it has ended.
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { release } from "node:os";
import { join } from "node:path";
import { describeError } from "indusagi/core";
import { casePlace, type WindowsCase } from "./case.ts";
import { confinementCases } from "./cases/confinement.ts";
import { fileCases } from "./cases/files.ts";
import { gatewayCases } from "./cases/gateways.ts";
import { journeyCases } from "./cases/journeys.ts";
import { placeCases } from "./cases/places.ts";
import { sessionCases } from "./cases/sessions.ts";
import { startCases } from "./cases/starts.ts";
import type { CaseEnd, CaseEvent } from "./windows-section.ts";

const CASES = [
  ...placeCases,
  ...startCases,
  ...confinementCases,
  ...fileCases,
  ...sessionCases,
  ...journeyCases,
  ...gatewayCases,
];

const [root = "", folder = "", results = "", ...ids] = process.argv.slice(2);
const tell = (event: CaseEvent): void => appendFileSync(results, `${JSON.stringify(event)}\n`);

tell({ kind: "machine", node: process.versions.node, system: `Windows ${release()}` });
if (ids.length === 0) for (const { id, title } of CASES) tell({ kind: "planned", id, title });
for (const each of CASES.filter(({ id }) => ids.includes(id))) {
  tell({ kind: "begun", id: each.id });
  tell({ kind: "ended", id: each.id, ...(await resultOf(each)) });
}
// A case that failed may have left a listener or a child.
process.exit();

async function resultOf(each: WindowsCase): Promise<Omit<CaseEnd, "kind" | "id">> {
  const absent = each.absent?.();
  if (absent !== undefined) return { absent };
  const home = join(folder, each.id, "a folder é");
  try {
    await each.run(casePlace(home, root));
    return {};
  } catch (thrown) {
    const problem = problemOf(thrown).replaceAll(/\s+/g, " ").slice(0, 600);
    return each.bare && failsAlone(each.bare.source, join(folder, each.id, "bare"))
      ? { problem, cause: each.bare.cause }
      : { problem };
  }
}

function problemOf(thrown: unknown): string {
  return thrown instanceof Error
    ? `${thrown.message} ${thrown.stack?.split("\n")[1] ?? ""}`
    : describeError(thrown);
}

/** Whether a program on Node alone fails too. */
function failsAlone(source: string, cwd: string): boolean {
  mkdirSync(cwd, { recursive: true });
  const file = join(cwd, "bare.cjs");
  writeFileSync(file, source);
  return spawnSync(process.execPath, [file], { cwd, stdio: "ignore", timeout: 60_000 }).status !== 0;
}
