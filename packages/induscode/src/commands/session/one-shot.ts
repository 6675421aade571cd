import { existsSync } from "node:fs";
import type { Run } from "../../boot/internal.ts";
import { openSession, readAttachments } from "../../conductor/open/internal.ts";
import { type GivenPrompt, runPrint } from "../../front/print/index.ts";
import type { SessionLine } from "../../launch/internal.ts";
import { mentionedServers } from "./mentioned-servers.ts";

/** `indus -p`: answers one prompt and resolves to the exit code. */
export async function oneShot(run: Run, { invocation, flags }: SessionLine): Promise<number> {
  const { terminal, signal, report } = run;
  const prompt = await readPrompt(run, invocation);
  if (prompt === undefined) {
    report('-p needs a prompt: indus -p "PROMPT", or pipe it in');
    return 2;
  }
  return runPrint({
    prompt,
    json: invocation.json,
    terminal,
    signal,
    report,
    open: async () => {
      const opened = await openSession(run, invocation, { flags, isOnlyTurn: true });
      return opened && { session: opened.session, mentioned: mentionedServers(opened.servers) };
    },
  });
}

/** The words, standard input, and the attachments. Undefined if there is nothing. */
async function readPrompt(run: Run, invocation: SessionLine["invocation"]): Promise<GivenPrompt | undefined> {
  const { prompt = "", attachments } = invocation;
  const attached = sortAttachments(attachments);
  const isOptional = prompt !== "" || attachments.length > 0;
  const { signal, report, terminal } = run;
  const piped = (await terminal.piped?.({ signal, isOptional, report })) ?? "";
  const text = [prompt, piped.trimEnd()].filter((part) => part.trim() !== "").join("\n\n");
  return text === "" && attachments.length === 0 ? undefined : { text, ...attached };
}

/** What is not a file but looks like `server:uri` is a resource. Throws, naming the file, if one cannot be used. */
function sortAttachments(words: readonly string[]): Pick<GivenPrompt, "files" | "resources"> {
  const resources = words.filter((word) => /^[A-Za-z0-9_.-]+:\S/.test(word) && !existsSync(word));
  return { files: readAttachments(words.filter((word) => !resources.includes(word))), resources };
}
