import { isCommonImage, mediaInWords, type Portion, wordsOf } from "./portions.ts";

/** What may stand in the output of a function call, when it is more than text. */
export type OpenAIOutputPart =
  | { readonly type: "input_text"; readonly text: string }
  | { readonly type: "input_image"; readonly image_url: string; readonly detail: "auto" }
  | { readonly type: "input_file"; readonly file_data: string; readonly filename: string };

/** An answer as the Responses API takes it: a text when it is text alone, else a list of parts. */
export function responsesOutput(portions: readonly Portion[], isError: boolean): string | OpenAIOutputPart[] {
  const prefix = isError ? "Error: " : "";
  const parts = portions.map(render);
  if (parts.every((part) => part.type === "input_text")) return `${prefix}${wordsOf(portions)}`;
  return isError ? [{ type: "input_text", text: prefix.trim() }, ...parts] : parts;
}

function render(portion: Portion): OpenAIOutputPart {
  if (portion.kind === "text") return { type: "input_text", text: portion.text };
  const url = `data:${portion.mimeType};base64,${portion.data}`;
  if (isCommonImage(portion)) return { type: "input_image", image_url: url, detail: "auto" };
  if (portion.mimeType === "application/pdf") {
    return { type: "input_file", file_data: url, filename: "result.pdf" };
  }
  return { type: "input_text", text: mediaInWords(portion) };
}
