import type { Environment } from "indusagi/core";
import type { Run } from "../../boot/internal.ts";
import type { Invocation } from "../../launch/index.ts";
import type { ModelListing } from "../../models/index.ts";
import type { SessionModels } from "../index.ts";

/** Names the model if there is no `--model`. */
const MODEL_VARIABLE = "INDUS_MODEL";

/** The model that the command line or the environment names. Undefined: none is configured. */
export function chosenModel({ model }: Pick<Invocation, "model">, env: Environment): string | undefined {
  return model ?? (env[MODEL_VARIABLE] || undefined);
}

/** A session cannot be opened because nothing names a model. */
export class NoModelError extends Error {
  constructor() {
    super(NO_MODEL);
  }
}

const NO_MODEL =
  `no model is chosen; name one with --model provider/name or ${MODEL_VARIABLE}, for example ` +
  "--model anthropic/claude-sonnet-4-5, or --model openai-compatible/llama3.2 with OPENAI_BASE_URL=http://127.0.0.1:11434/v1; indus config set model provider/name keeps one";

/**
 * How to get a model, for people at a terminal: three lines with commands to copy. They follow `indus: `, fit 80 columns, and are
 * folded on a narrower screen.
 */
export async function modelAdvice(env: Environment, width = 80): Promise<string> {
  const [{ PROVIDERS, readAccounts }, { foldLine }] = await Promise.all([
    import("../../models/internal.ts"),
    import("../../screen/internal.ts"),
  ]);
  const keyOf = (id: string): string | undefined => {
    try {
      return readAccounts(undefined, { env }).key(id);
    } catch {
      return undefined; // A session says what is wrong with the file.
    }
  };
  const shown = (...lines: readonly string[]): string =>
    lines
      .flatMap((line) => foldLine(line, width))
      .join("\n")
      .slice("indus: ".length);
  const server = PROVIDERS.find(({ url, urlVariable }) => url === undefined && env[urlVariable]);
  if (server)
    return shown(
      `indus: no model is chosen yet. ${server.urlVariable} is set, so choose its model:`,
      "  indus --list-models",
      `  indus config set model ${server.id}/NAME`,
    );
  const vendor = PROVIDERS.find(
    ({ id, needsKey, keyVariable }) => needsKey && (env[keyVariable] || keyOf(id)),
  );
  if (vendor)
    return shown(
      `indus: no model is chosen yet. There is a key for ${vendor.id}, so choose a model:`,
      `  indus config set model ${vendor.example}`,
      "  indus --list-models  # what else there is; --model NAME is for one start",
    );
  return shown(
    "indus: no model is chosen yet. Set a key or a server, and choose a model:",
    "  export ANTHROPIC_API_KEY=KEY  # or OPENAI_BASE_URL=http://127.0.0.1:11434/v1",
    "  indus config set model anthropic/claude-sonnet-4-5  # see indus --list-models",
  );
}

/** The models of a session, with the account and the fallback model of the command line. */
export async function sessionModels(
  { account, fallbackModel }: Pick<Invocation, "account" | "fallbackModel">,
  env: Environment,
): Promise<SessionModels> {
  const { contextWindow, openModel, readAccounts, resilientModel } = await import("../../models/index.ts");
  const accounts = readAccounts(account, { env });
  return {
    windowTokens: (name) => contextWindow(name, { env }),
    open: (name, report) => {
      const open = (one: string) => openModel(one, { env, accounts, report });
      const fallback = fallbackModel === undefined ? undefined : open(fallbackModel);
      return resilientModel(open(name), { report, ...(fallback && { fallback }) });
    },
  };
}

/** Asks every provider for its models. Throws if there is no such account. */
export async function modelListings(
  { env, signal, report }: Pick<Run, "env" | "signal" | "report">,
  account: string | undefined,
): Promise<readonly ModelListing[]> {
  const { listModels, readAccounts } = await import("../../models/index.ts");
  return listModels({ env, accounts: readAccounts(account, { env }), signal, report });
}
