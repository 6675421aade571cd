import type { Run } from "../../boot/internal.ts";
import { modelListings } from "../../conductor/open/internal.ts";
import type { Invocation } from "../../launch/index.ts";
import { showJson } from "../../screen/index.ts";

/** `indus --list-models`: the models of every reachable provider, and why others are not. */
export async function printModels(run: Run, { account, json }: Invocation): Promise<number> {
  const listings = await modelListings(run, account);
  if (json) run.terminal.out(showJson(listings));
  for (const { provider, models, problem } of listings) {
    if (!json) for (const model of models) run.terminal.out(`${model}\n`);
    if (problem !== undefined) run.report(`${provider}: ${problem}`);
  }
  return listings.some(({ models }) => models.length > 0) ? 0 : 1;
}
