import { describeError, type Environment, joinSignals } from "indusagi/core";
import type { Accounts } from "./accounts.ts";
import { providerSettings } from "./open-model.ts";
import { providerFetch } from "./provider-fetch.ts";
import { PROVIDERS, type Provider } from "./providers/provider-table.ts";

export interface ListModelsOptions {
  readonly env: Environment;
  readonly accounts?: Accounts;
  readonly signal?: AbortSignal;
  /** Default: 10 seconds. */
  readonly deadlineMs?: number;
  /** Called with non-fatal problems. */
  readonly report?: (message: string) => void;
}

export interface ModelListing {
  readonly provider: string;
  /** `provider/name`, sorted. Empty if the request failed. */
  readonly models: readonly string[];
  /** Why there are none. */
  readonly problem?: string;
}

const DEADLINE_MS = 10_000;

/** Lists the models of all providers concurrently. One that fails does not affect the others. */
export async function listModels(options: ListModelsOptions): Promise<readonly ModelListing[]> {
  return Promise.all(PROVIDERS.map((provider) => listOf(provider, options)));
}

async function listOf(provider: Provider, options: ListModelsOptions): Promise<ModelListing> {
  const { env, accounts, signal, deadlineMs = DEADLINE_MS, report = () => {} } = options;
  try {
    const settings = providerSettings(provider, env, accounts);
    const { url, headers } = provider.listing(settings);
    const deadline = AbortSignal.timeout(deadlineMs);
    const send = (await providerFetch(env, report)) ?? fetch;
    const response = await send(url, { headers, signal: joinSignals(signal, deadline) });
    if (!response.ok) throw new Error(`${url} answered ${response.status}`);
    const names = namesIn(await response.json());
    return { provider: provider.id, models: names.map((name) => `${provider.id}/${name}`).sort() };
  } catch (thrown) {
    return { provider: provider.id, models: [], problem: describeError(thrown) };
  }
}

/** OpenAI and Anthropic answer `{ data: [{ id }] }`, Gemini `{ models: [{ name: "models/…" }] }`. */
function namesIn(body: unknown): string[] {
  const { data, models } = (body ?? {}) as { readonly data?: unknown; readonly models?: unknown };
  const rows = Array.isArray(data) ? data : Array.isArray(models) ? models : [];
  return rows.flatMap((row: { readonly id?: unknown; readonly name?: unknown }) => {
    const name = row.id ?? row.name;
    return typeof name === "string" ? [name.replace(/^models\//, "")] : [];
  });
}
