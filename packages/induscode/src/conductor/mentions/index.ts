export type { ContentParts } from "./content-parts.ts";
export { expandMessage, signatureOf } from "./expand-message.ts";
export {
  type MentionedServers,
  type PromptCommand,
  promptArguments,
  promptCommands,
  promptName,
  promptSignature,
  type ServerItem,
} from "./prompt-names.ts";
export { splitWords } from "./prompt-words.ts";
