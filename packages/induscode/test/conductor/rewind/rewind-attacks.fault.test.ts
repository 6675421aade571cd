import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { atSize, type TempDir, tempDir, verifies } from "@indus/testkit";
import { afterAll, beforeAll, expect } from "vitest";
import { lookAt, makeWorkTree, watchFolder, wholeOf } from "./attacked-folder.ts";
import { REWIND_ATTACKS, type RewindAttack } from "./rewind-races.ts";

let shared: TempDir;
beforeAll(async () => {
  shared = await tempDir();
});
afterAll(() => shared[Symbol.asyncDispose]());

const isChosen = (index: number): boolean => index % atSize({ quick: 12, full: 1 }) === 0;

for (const attack of REWIND_ATTACKS.filter((each, index) => each.race || isChosen(index)))
  verifies("session:rewind-attacks", attack.name, async () => expect(await problemsOf(attack)).toEqual([]), {
    when: attack.skip?.() === undefined,
  });

/** What is not as the attack demands. */
async function problemsOf(attack: RewindAttack): Promise<string[]> {
  await using dir = await tempDir();
  const [top, outside] = [makeWorkTree(shared, dir.at("top")), dir.at("outside")];
  mkdirSync(outside);
  attack.before(top, outside);
  const states = (): string[] => attack.paths.map((path) => lookAt(top, path));
  const [first, outsideFirst] = [states(), wholeOf(outside)];
  await using watched = await watchFolder(dir, top);
  const { unkept } = await watched.snapshots.before();
  attack.command(top, outside);
  await watched.snapshots.after();
  attack.between?.(top, outside);
  const kept = (attack.kept ?? []).map((path) => lookAt(top, path));
  const left = states();
  const stop = new AbortController();
  const race = await attack.race?.({ top, outside }, stop.signal);
  const report = await watched.store
    .rewind(watched.node, { signal: watched.snapshots.deadline() })
    .catch((thrown: unknown) => ({ done: false, conflicts: [], skipped: [], thrown }));
  stop.abort();
  await race?.ended;
  const problems = wholeOf(outside)
    .filter((entry) => !outsideFirst.includes(entry))
    .map((entry) => `outside: ${entry}`);
  if (wholeOf(outside).length !== outsideFirst.length) problems.push("outside: not the same files");
  if (race) return problems;
  const named = [...unkept, ...report.conflicts, ...report.skipped].map(({ path }) => path);
  for (const [index, path] of attack.paths.entries()) {
    const now = lookAt(top, path);
    const isRestored = now === first[index];
    const isNamed = named.includes(join(top, String(path))) && now === left[index];
    if (attack.expect === "named" ? !isNamed : !isRestored && !(attack.expect === "either" && isNamed))
      problems.push(
        `${String(path)} was ${first[index]}, left ${left[index]}, is ${now}: ${JSON.stringify(report)}`,
      );
  }
  for (const [index, path] of (attack.kept ?? []).entries())
    if (lookAt(top, path) !== kept[index]) problems.push(`${String(path)} was not left alone`);
  return problems;
}
