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

export const NO_MODEL: string =
  `no model is chosen; name one with --model provider/name or ${MODEL_VARIABLE}, for example ` +
  "--model anthropic/claude-sonnet-4-5, or --model openai-compatible/llama3.2 with OPENAI_BASE_URL=http://127.0.0.1:11434/v1; indus config set model provider/name keeps one";

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
