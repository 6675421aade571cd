import type { ClientVariables } from "./client.ts";

/** Every string in a value, with its variables in our spelling: `${NAME}` is a reference, `$${` a literal `${`. */
export function respelled(value: unknown, variables: ClientVariables): unknown {
  if (typeof value === "string") return respelledText(value, variables);
  if (Array.isArray(value)) return value.map((item) => respelled(item, variables));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, respelled(member, variables)]);
  return Object.fromEntries(members) as unknown;
}

/** For a client that expands no variables, every `${` is literal. */
function respelledText(text: string, variables: ClientVariables): string {
  switch (variables) {
    case "braces":
      return text;
    case "none":
      return literally(text);
    case "dollar":
      return text.replaceAll(/\$([A-Za-z_][A-Za-z0-9_]*)/g, (_, name: string) => `\${${name}}`);
    case "opencode":
      return literally(text).replaceAll(/\{env:([^{}]*)\}/g, (_, name: string) => `\${env:${name}}`);
  }
}

/** With a function: in a replacement string `$$` means one `$`. */
function literally(text: string): string {
  return text.replaceAll("${", () => "$${");
}

/** The ids of `${input:…}` in a value. */
export function inputIds(value: unknown): readonly string[] {
  const found = [...JSON.stringify(value).matchAll(/(?<!\$)\$\{input:([^}"\\]+)\}/g)].map(
    ([, id = ""]) => id,
  );
  return [...new Set(found)];
}

/** A copy of the value with other ids in its `${input:…}`. */
export function renameInputs(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string")
    return value.replaceAll(/(?<!\$)\$\{input:([^}]+)\}/g, (whole, id: string) => {
      const name = names.get(id);
      return name === undefined ? whole : `\${input:${name}}`;
    });
  if (Array.isArray(value)) return value.map((item) => renameInputs(item, names));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, renameInputs(member, names)]);
  return Object.fromEntries(members) as unknown;
}
