import { describeError } from "indusagi/core";
import type { Run } from "../boot/internal.ts";
import type { AddTokenRequest, ListTokensRequest, RevokeTokensRequest } from "../launch/internal.ts";
import { showJson, showTokens } from "../screen/index.ts";

/** `indus token add`: makes a token and prints it, the only time it is shown. */
export async function addToken(run: Run, { name, grant, json }: AddTokenRequest): Promise<number> {
  return withTokens(run, async (tokens) => {
    const { record, token } = await tokens.add(name, grant);
    // The token may be for a server that comes later, so it is made nevertheless.
    const uses = (grant.tools ?? []).map((word) => ({ where: `token ${name}:`, word, isGrant: true }));
    for (const problem of await run.patternProblems(uses)) run.report(problem);
    run.terminal.out(json ? showJson({ ...withoutHash(record), token }) : `${token}\n`);
    if (!json)
      run.report(
        `this token for ${name} is not shown again; a client sends it in the header "Authorization: Bearer TOKEN"`,
      );
  });
}

const NO_TOKEN = "there is no token in this folder; indus token add NAME makes one\n";

/** `indus token list`. */
export async function listTokens(run: Run, { json }: ListTokensRequest): Promise<number> {
  return withTokens(run, (tokens) => {
    const shown = tokens.list().map(withoutHash);
    const table = shown.length === 0 ? NO_TOKEN : showTokens(shown, run.terminal.outLook);
    run.terminal.out(json ? showJson({ tokens: shown }) : table);
  });
}

/** `indus token revoke`. */
export async function revokeTokens(run: Run, { names, json }: RevokeTokensRequest): Promise<number> {
  return withTokens(run, async (tokens) => {
    const revoked = await tokens.revoke(names);
    const shown = revoked.map(({ id, name }) => ({ id, name }));
    run.terminal.out(
      json
        ? showJson({ revoked: shown })
        : shown.map(({ id, name }) => `revoked token ${name} (${id})\n`).join(""),
    );
  });
}

type Kept = ReturnType<Tokens["list"]>[number];

function withoutHash(record: Kept): Omit<Kept, "hash"> {
  const { hash: _hash, ...shown } = record;
  return shown;
}

type Tokens = Awaited<ReturnType<Run["tokens"]>>;

async function withTokens(run: Run, step: (tokens: Tokens) => Promise<void> | void): Promise<number> {
  try {
    await step(await run.tokens());
    return 0;
  } catch (thrown) {
    run.report(describeError(thrown));
    return 1;
  }
}
