import type { ServerCapabilities } from "@modelcontextprotocol/server";
import type { HostIntroduction, HostProviders } from "../../contract/index.ts";

/** The advertised capabilities: those of the host or, with `shown`, only those in both. */
export function advertised(
  can: ServerCapabilities,
  shown: HostIntroduction["capabilities"],
): ServerCapabilities {
  if (!shown) return can;
  const both = Object.entries(can).flatMap(([name, abilities]) => {
    const asked = shown[name];
    return typeof asked === "object" && asked !== null ? [[name, inBoth(abilities as object, asked)]] : [];
  });
  return Object.fromEntries(both) as ServerCapabilities;
}

/** The abilities of one capability, such as `listChanged`. */
function inBoth(can: object, asked: object): object {
  return Object.fromEntries(
    Object.entries(can).filter(([name]) => name in asked && Reflect.get(asked, name) === true),
  );
}

/** The providers without those that are not advertised. */
export function providersFor(
  providers: HostProviders,
  { resources, prompts, completions }: ServerCapabilities,
): HostProviders {
  const isHidden =
    (providers.resources && !resources) ||
    (providers.prompts && !prompts) ||
    (providers.complete && !completions);
  if (!isHidden) return providers;
  return {
    ...(providers.feed ? { feed: providers.feed } : {}),
    ...(resources && providers.resources ? { resources: providers.resources } : {}),
    ...(prompts && providers.prompts ? { prompts: providers.prompts } : {}),
    ...(completions && providers.complete ? { complete: providers.complete.bind(providers) } : {}),
  };
}
