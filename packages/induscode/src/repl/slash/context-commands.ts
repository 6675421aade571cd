import { resolve } from "node:path";
import { describeError, errorCode, escapeForDisplay, replaceFileSync } from "indusagi/core";
import { type SlashCommand, whileShown } from "./slash-context.ts";

/** `/context`: how full the window of the model is. */
export const contextCommand: SlashCommand = {
  name: "context",
  operands: "",
  summary: "Show how much of the model's context is used, and the tokens so far.",
  run: async ({ session, stage }) => {
    const { tokens, windowTokens, toolTokens, systemTokens } = await session.context();
    const share = (count: number): string => `${Math.round((100 * count) / Math.max(1, windowTokens))} %`;
    const conversation = Math.max(0, tokens - toolTokens - systemTokens);
    stage.printFolded(`context: about ${count(tokens)} of ${count(windowTokens)} tokens (${share(tokens)})`);
    stage.printFolded(`  system prompt ${count(systemTokens)}, tools ${count(toolTokens)}`);
    stage.printFolded(`  conversation ${count(conversation)}`);
    const { inputTokens = 0, outputTokens = 0, cacheHitShare } = session.usage();
    const cached = cacheHitShare === undefined ? "" : `, ${Math.round(100 * cacheHitShare)} % from the cache`;
    stage.printFolded(`so far: ${count(inputTokens)} tokens in${cached}, ${count(outputTokens)} out`);
    stage.printFolded(
      `compaction by itself: ${session.autoCompact ? "on" : "off"} (/compact on, /compact off)`,
    );
    return undefined;
  },
};

/** `/compact`: shortens the conversation, or decides whether that happens by itself. */
export const compactCommand: SlashCommand = {
  name: "compact",
  operands: "[on | off]",
  summary: "Shorten the conversation now, or turn shortening by itself on or off.",
  words: ["on", "off"],
  run: async ({ session, stage, signal, complain }, [word]) => {
    if (word === "on" || word === "off") {
      session.setAutoCompact(word === "on");
      stage.printFolded(
        `the conversation is ${word === "on" ? "" : "not "}shortened by itself when it gets long`,
      );
    } else if (word !== undefined) complain("/compact takes on, off or nothing");
    else {
      stage.printFolded("The transcript keeps everything; /export FILE writes it to a file.");
      const entry = await whileShown(stage, "· shortening the conversation", session.compact(signal));
      if (!entry) stage.printFolded("there is nothing to shorten");
      else stage.printFolded(`shortened; now about ${count((await session.context()).tokens)} tokens`);
    }
    return undefined;
  },
};

/** `/export`: the whole conversation as a file. */
export const exportCommand: SlashCommand = {
  name: "export",
  operands: "FILE",
  summary: "Write the whole conversation to a new Markdown file.",
  run: async ({ session, stage, complain }, words) => {
    const [file] = words;
    if (file === undefined) {
      complain("/export needs the name of a file");
      return undefined;
    }
    const path = resolve(session.cwd, file);
    try {
      replaceFileSync({ path, content: Buffer.from(session.exportMarkdown()), mode: 0o600, onlyNew: true });
      stage.printFolded(`written: ${escapeForDisplay(path)}`);
    } catch (thrown) {
      const isThere = errorCode(thrown) === "EEXIST";
      complain(
        isThere
          ? `${path} exists already; name a new file`
          : `${path} could not be written: ${describeError(thrown)}`,
      );
    }
    return undefined;
  },
};

/** `1,204`. */
function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
