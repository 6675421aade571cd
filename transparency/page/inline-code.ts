const MAX_CHARS = 400;

/** Foreign text in one line that Markdown shows as it is. */
export function inlineCode(text: string): string {
  const plain = text
    .slice(0, MAX_CHARS)
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .replaceAll("`", "'")
    .replaceAll("|", "\\|")
    .trim();
  return `\`${plain}\``;
}
