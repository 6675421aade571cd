import { beginnings, type CompletedFlag, type CompletionModel, verbsOf } from "./completion-model.ts";

/** A script for bash. Its words come from our tables, which have no character that is special in a shell. */
export function bashCompletion(model: CompletionModel): string {
  const first = [
    ...beginnings(model).map(([word]) => word),
    ...model.flags.flatMap((flag) => flag.spellings),
  ];
  const families = beginnings(model)
    .map(([word]) => [word, verbsOf(model, word).map(([verb]) => verb)] as const)
    .filter(([, verbs]) => verbs.length > 0);
  return `# Completion of indus for bash. To load it: source <(indus completion bash)
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
${model.commands.map(({ name, flags, choices }) => `    "${name} "*)\n${body(flags, choices)}      ;;`).join("\n")}
    *)
${body(model.flags, [])}      ;;
  esac
}
complete -o default -F _indus indus indusagi
`;
}

/** Values after a flag that takes one, otherwise flags and words. */
function body(flags: readonly CompletedFlag[], choices: readonly string[]): string {
  const valued = flags.filter(({ value }) => value !== "none");
  const cases = valued.map(({ spellings, value }) => {
    const words =
      typeof value === "object" ? `COMPREPLY=($(compgen -W "${value.join(" ")}" -- "$cur")); ` : "";
    const paths = value === "path" ? 'COMPREPLY=($(compgen -f -- "$cur")); ' : "";
    return `        ${spellings.join("|")}) ${words}${paths}return ;;\n`;
  });
  const words = [...flags.flatMap(({ spellings }) => spellings), ...choices];
  return `      case $prev in
${cases.join("")}      esac
      COMPREPLY=($(compgen -W "${words.join(" ")}" -- "$cur"))
`;
}
