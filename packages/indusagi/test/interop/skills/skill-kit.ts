import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { linkedTransports, type ProtocolEra, type ProviderHost } from "indusagi/interop";

/** Writes files below a folder. */
export async function writeFiles(
  folder: string,
  files: { readonly [path: string]: string | Uint8Array },
): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

/** The text of a `SKILL.md`. */
export function manifest(name: string, description = `How to ${name}`): string {
  return `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n# ${name}\n`;
}

/** The official client, which checks every entry and every file. */
export interface OfficialClient extends AsyncDisposable {
  readonly sdk: Client;
  readonly skills: SkillsClient;
}

export async function officialClient(host: ProviderHost, era: ProtocolEra): Promise<OfficialClient> {
  const [ours, theirs] = linkedTransports();
  const running = await host.connect(theirs);
  const mode = era === "modern" ? "auto" : "legacy";
  const sdk = new Client({ name: "official", version: "1" }, { versionNegotiation: { mode } });
  await sdk.connect(ours as never);
  return {
    sdk,
    skills: new SkillsClient(sdk),
    [Symbol.asyncDispose]: async () => {
      await sdk.close();
      await running.cancel();
    },
  };
}
