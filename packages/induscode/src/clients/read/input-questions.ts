import { isRecord } from "indusagi/core";
import type { InputQuestion } from "./client-server.ts";
import type { JsonObject } from "./json-object.ts";

/** The `inputs` of a VS Code file. One that runs a command of the editor cannot be answered here and is left out. */
export function inputQuestions(root: JsonObject): InputQuestion[] {
  const inputs = root["inputs"];
  if (!Array.isArray(inputs)) return [];
  return inputs.filter(isRecord).flatMap((input) => {
    const { id, type, description, password, default: preset, options } = input;
    if (typeof id !== "string" || type === "command") return [];
    const labels = Array.isArray(options) ? options.flatMap((option) => optionValue(option) ?? []) : [];
    return [
      {
        id,
        description: typeof description === "string" ? description : id,
        isSecret: password === true,
        ...(typeof preset === "string" && { default: preset }),
        ...(labels.length > 0 && { options: labels }),
      },
    ];
  });
}

function optionValue(option: unknown): string | undefined {
  const value = isRecord(option) ? option["value"] : option;
  return typeof value === "string" ? value : undefined;
}
