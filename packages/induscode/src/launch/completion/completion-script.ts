import type { CommandSpecs } from "../command-spec.ts";
import type { NameKind } from "../shared-flags.ts";
import {
  beginnings,
  type CompletedFlag,
  type CompletionModel,
  completionModel,
  verbsOf,
} from "./completion-model.ts";

type Shell = "bash" | "zsh" | "fish";

/** What may follow a command. */
type Followers = Pick<CompletionModel["commands"][number], "flags" | "choices" | "names">;

/** The completion script for a shell, made from the parser's tables. */
export function completionScript(commands: CommandSpecs, shell: Shell): string {
  return SCRIPTS[shell](completionModel(commands));
}

const SCRIPTS: { readonly [shell in Shell]: (model: CompletionModel) => string } = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** The command that lists names of this folder, from files: nothing is started. */
function namesCommand(names: readonly NameKind[]): string {
  return `indus completion ${names.join(" ")} 2>/dev/null`;
}

/**
 * The words come from our tables, which have no characters that are special in a shell. Names come from files of a project, and
 * `compgen -W` would expand them, so they are compared one by one.
 */
function bashCompletion(model: CompletionModel): string {
  const first = [
    ...beginnings(model).map(([word]) => word),
    ...model.flags.flatMap((flag) => flag.spellings),
  ];
  const families = beginnings(model)
    .map(([word]) => [word, verbsOf(model, word).map(([verb]) => verb)] as const)
    .filter(([, verbs]) => verbs.length > 0);
  return `# Completion of indus for bash. To load it: source <(indus completion bash)
_indus_names() {
  local name
  while IFS= read -r name; do
    if [[ $name == "$cur"* ]]; then COMPREPLY+=("$name"); fi
  done < <(indus completion "$@" 2>/dev/null)
}
_indus() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} line
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "${first.join(" ")}" -- "$cur"))
    return
  fi
  if ((COMP_CWORD == 2)); then
    case \${COMP_WORDS[1]} in
${families.map(([word, verbs]) => `      ${word}) COMPREPLY=($(compgen -W "${verbs.join(" ")}" -- "$cur")); return ;;`).join("\n")}
    esac
  fi
  line="\${COMP_WORDS[1]} \${COMP_WORDS[2]} "
  case $line in
${model.commands.map((command) => `    "${command.name} "*)\n${bashBody(command)}      ;;`).join("\n")}
    *)
${bashBody({ flags: model.flags, choices: [], names: [] })}      ;;
  esac
}
complete -o default -F _indus indus indusagi
`;
}

/** Values after a flag that takes one, otherwise flags and words. */
function bashBody({ flags, choices, names }: Followers): string {
  const valued = flags.filter(({ value }) => value !== "none");
  const cases = valued.map((flag) => {
    const { spellings, value } = flag;
    const words =
      typeof value === "object" ? `COMPREPLY=($(compgen -W "${value.join(" ")}" -- "$cur")); ` : "";
    const paths = value === "path" ? 'COMPREPLY=($(compgen -f -- "$cur")); ' : "";
    const listed = flag.names.length > 0 ? `_indus_names ${flag.names.join(" ")}; ` : "";
    return `        ${spellings.join("|")}) ${words}${paths}${listed}return ;;\n`;
  });
  const words = [...flags.flatMap(({ spellings }) => spellings), ...choices];
  return `      case $prev in
${cases.join("")}      esac
      COMPREPLY=($(compgen -W "${words.join(" ")}" -- "$cur"))
${names.length > 0 ? `      if [[ $cur != -* ]]; then _indus_names ${names.join(" ")}; fi\n` : ""}`;
}

/** Works as a file named `_indus` on the `fpath`, or sourced. */
function zshCompletion(model: CompletionModel): string {
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
${zshList([...beginnings(model), ...describedFlags(model.flags)])}    )
    _describe 'command' found
    return
  fi
  if ((CURRENT == 3)); then
    case \${words[2]} in
${families.map(([word, verbs]) => `      ${word})\n        found=(\n${zshList(verbs)}        )\n        _describe 'command' found\n        return ;;`).join("\n")}
    esac
  fi
  case "\${words[2]} \${words[3]} " in
${model.commands.map((command) => `    "${command.name} "*)\n${zshBody(command)}      ;;`).join("\n")}
    *)
${zshBody({ flags: model.flags, choices: [], names: [] })}      ;;
  esac
}
if [[ \${funcstack[1]} == _indus ]]; then _indus "$@"; else compdef _indus indus indusagi; fi
`;
}

function zshBody({ flags, choices, names }: Followers): string {
  const cases = flags
    .filter(({ value }) => value !== "none")
    .map((flag) => {
      const { spellings, value } = flag;
      const words = typeof value === "object" ? `compadd -- ${value.join(" ")}; ` : "";
      const listed = flag.names.length > 0 ? `compadd -- ${zshNames(flag.names)}; ` : "";
      return `        ${spellings.join("|")}) ${words}${listed}${value === "path" ? "_files; " : ""}return ;;\n`;
    });
  const listed = names.length > 0 ? `      [[ $PREFIX == -* ]] || found+=(${zshNames(names)})\n` : "";
  return `      case $prev in
${cases.join("")}      esac
      found=(
${zshList([...describedFlags(flags), ...choices.map((word) => [word, ""] as const)])}      )
${listed}      _describe 'option' found || _files
`;
}

/** One word per line of the output. */
function zshNames(names: readonly NameKind[]): string {
  return `\${(f)"$(${namesCommand(names)})"}`;
}

type Described = readonly (readonly [word: string, describe: string])[];

function describedFlags(flags: readonly CompletedFlag[]): Described {
  return flags.flatMap(({ spellings, describe }) =>
    spellings.map((spelling) => [spelling, describe] as const),
  );
}

/** A colon separates a word from its text. */
function zshList(items: Described): string {
  return items
    .map(([word, text]) => `      ${zshQuoted(`${word}${text === "" ? "" : `:${text}`}`)}\n`)
    .join("");
}

function zshQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function fishCompletion(model: CompletionModel): string {
  const lines = [
    ...beginnings(model).map(([word, text]) => fishComplete("__fish_use_subcommand", ["-a", word], text)),
    ...model.flags.map((flag) => fishFlag("__fish_use_subcommand", flag)),
    ...beginnings(model).flatMap(([word]) => fishVerbs(model, word)),
    ...model.commands.flatMap(({ name, flags, choices, names }) => {
      const seen = fishSeen(name);
      const words = [...choices, ...fishNames(names)];
      const offered = words.length > 0 ? [fishComplete(seen, ["-a", words.join(" ")], "")] : [];
      return [...offered, ...flags.map((flag) => fishFlag(seen, flag))];
    }),
  ];
  return `# Completion of indus for fish. To load it: indus completion fish | source
complete -c indusagi -w indus
${lines.join("\n")}
`;
}

function fishVerbs(model: CompletionModel, family: string): string[] {
  const verbs = verbsOf(model, family);
  const names = verbs.map(([verb]) => verb).join(" ");
  const condition = `__fish_seen_subcommand_from ${family}; and not __fish_seen_subcommand_from ${names}`;
  return verbs.map(([verb, text]) => fishComplete(condition, ["-f", "-a", verb], text));
}

function fishSeen(name: string): string {
  return name
    .split(" ")
    .map((word) => `__fish_seen_subcommand_from ${word}`)
    .join("; and ");
}

/** Run when the words are needed. */
function fishNames(names: readonly NameKind[]): readonly string[] {
  return names.length > 0 ? [`(${namesCommand(names)})`] : [];
}

function fishFlag(condition: string, { spellings, describe, value, names }: CompletedFlag): string {
  const forms = spellings.flatMap((spelling) =>
    spelling.startsWith("--") ? ["-l", spelling.slice(2)] : ["-s", spelling.slice(1)],
  );
  const words = [...(typeof value === "object" ? value : []), ...fishNames(names)];
  const offered = words.length > 0 ? ["-x", "-a", words.join(" ")] : value === "any" ? ["-x"] : [];
  const paths = value === "path" ? ["-r", "-F"] : [];
  return fishComplete(condition, [...forms, ...offered, ...paths], describe);
}

function fishComplete(condition: string, words: readonly string[], describe: string): string {
  const shown = words.map((word) => (/^[\w./-]+$/.test(word) ? word : fishQuoted(word)));
  const text = describe === "" ? "" : ` -d ${fishQuoted(describe)}`;
  return `complete -c indus -n ${fishQuoted(condition)} ${shown.join(" ")}${text}`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
