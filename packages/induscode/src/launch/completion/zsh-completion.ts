import { beginnings, type CompletedFlag, type CompletionModel, verbsOf } from "./completion-model.ts";

type Described = readonly (readonly [word: string, describe: string])[];

/** A script for zsh, for a file named `_indus` on its `fpath`, or to be sourced. */
export function zshCompletion(model: CompletionModel): string {
  const families = beginnings(model)
    .map(([word]) => [word, verbsOf(model, word)] as const)
    .filter(([, verbs]) => verbs.length > 0);
  return `#compdef indus indusagi
# Completion of indus for zsh. To load it: source <(indus completion zsh)
_indus() {
  local -a found
  local prev=\${words[CURRENT-1]}
  if ((CURRENT == 2)); then
    found=(
${list([...beginnings(model), ...described(model.flags)])}    )
    _describe 'command' found
    return
  fi
  if ((CURRENT == 3)); then
    case \${words[2]} in
${families.map(([word, verbs]) => `      ${word})\n        found=(\n${list(verbs)}        )\n        _describe 'command' found\n        return ;;`).join("\n")}
    esac
  fi
  case "\${words[2]} \${words[3]} " in
${model.commands.map(({ name, flags, choices }) => `    "${name} "*)\n${body(flags, choices)}      ;;`).join("\n")}
    *)
${body(model.flags, [])}      ;;
  esac
}
if [[ \${funcstack[1]} == _indus ]]; then _indus "$@"; else compdef _indus indus indusagi; fi
`;
}

function body(flags: readonly CompletedFlag[], choices: readonly string[]): string {
  const cases = flags
    .filter(({ value }) => value !== "none")
    .map(({ spellings, value }) => {
      const words = typeof value === "object" ? `compadd -- ${value.join(" ")}; ` : "";
      return `        ${spellings.join("|")}) ${words}${value === "path" ? "_files; " : ""}return ;;\n`;
    });
  return `      case $prev in
${cases.join("")}      esac
      found=(
${list([...described(flags), ...choices.map((word) => [word, ""] as const)])}      )
      _describe 'option' found || _files
`;
}

function described(flags: readonly CompletedFlag[]): Described {
  return flags.flatMap(({ spellings, describe }) =>
    spellings.map((spelling) => [spelling, describe] as const),
  );
}

/** A colon separates a word from its text. */
function list(items: Described): string {
  return items.map(([word, text]) => `      ${quoted(`${word}${text === "" ? "" : `:${text}`}`)}\n`).join("");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
