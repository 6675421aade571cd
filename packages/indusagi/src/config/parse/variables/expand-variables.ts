/** The value of a name in `${…}`, or why there is none. */
export type VariableValue =
  | { readonly value: string }
  | { readonly problem: string; readonly isUnset?: boolean };

/** A text with its variables expanded, or the first problem. */
export type Expansion = { readonly text: string } | { readonly problem: string };

const MAX_NESTING = 8;

/**
 * Expands `${NAME}` and `${NAME:-default}`. The default applies to an unset or empty variable and may itself contain
 * variables. Values are not expanded again. `$${` gives a literal `${`, and a `${` that is not closed is plain text.
 */
export function expandVariables(
  text: string,
  lookup: (name: string) => VariableValue,
  nesting = 0,
): Expansion {
  if (nesting > MAX_NESTING) return { problem: "has defaults nested too deeply; simplify them" };
  let expanded = "";
  let position = 0;
  for (;;) {
    const start = text.indexOf("${", position);
    if (start === -1) return { text: expanded + text.slice(position) };
    if (text[start - 1] === "$" && start > position) {
      expanded += `${text.slice(position, start - 1)}\${`;
      position = start + 2;
      continue;
    }
    const end = closingBrace(text, start + 2);
    if (end === -1) return { text: expanded + text.slice(position) };
    const expansion = expandOne(text.slice(start + 2, end), lookup, nesting);
    if ("problem" in expansion) return expansion;
    expanded += text.slice(position, start) + expansion.text;
    position = end + 1;
  }
}

function expandOne(inner: string, lookup: (name: string) => VariableValue, nesting: number): Expansion {
  const cut = inner.indexOf(":-");
  const name = cut === -1 ? inner : inner.slice(0, cut);
  const found = lookup(name);
  if (cut === -1) return "value" in found ? { text: found.value } : found;
  if ("value" in found && found.value !== "") return { text: found.value };
  // A default applies to an unset variable, never to an unknown name.
  if ("problem" in found && !found.isUnset) return found;
  return expandVariables(inner.slice(cut + 2), lookup, nesting + 1);
}

function closingBrace(text: string, from: number): number {
  let open = 1;
  for (let index = from; index < text.length; index++) {
    if (text[index] === "{" && text[index - 1] === "$") open += 1;
    if (text[index] === "}") open -= 1;
    if (open === 0) return index;
  }
  return -1;
}
