import { beginnings, type CompletedFlag, type CompletionModel, verbsOf } from "./completion-model.ts";

/** A script for fish. */
export function fishCompletion(model: CompletionModel): string {
  const lines = [
    ...beginnings(model).map(([word, text]) => complete("__fish_use_subcommand", ["-a", word], text)),
    ...model.flags.flatMap((flag) => flagLines("__fish_use_subcommand", flag)),
    ...beginnings(model).flatMap(([word]) => verbLines(model, word)),
    ...model.commands.flatMap(({ name, flags, choices }) => {
      const seen = seenCommand(name);
      const words = choices.length > 0 ? [complete(seen, ["-a", choices.join(" ")], "")] : [];
      return [...words, ...flags.flatMap((flag) => flagLines(seen, flag))];
    }),
  ];
  return `# Completion of indus for fish. To load it: indus completion fish | source
complete -c indusagi -w indus
${lines.join("\n")}
`;
}

function verbLines(model: CompletionModel, family: string): string[] {
  const verbs = verbsOf(model, family);
  const names = verbs.map(([verb]) => verb).join(" ");
  const condition = `__fish_seen_subcommand_from ${family}; and not __fish_seen_subcommand_from ${names}`;
  return verbs.map(([verb, text]) => complete(condition, ["-f", "-a", verb], text));
}

function seenCommand(name: string): string {
  return name
    .split(" ")
    .map((word) => `__fish_seen_subcommand_from ${word}`)
    .join("; and ");
}

function flagLines(condition: string, { spellings, describe, value }: CompletedFlag): string[] {
  const names = spellings.flatMap((spelling) =>
    spelling.startsWith("--") ? ["-l", spelling.slice(2)] : ["-s", spelling.slice(1)],
  );
  const words = typeof value === "object" ? ["-x", "-a", value.join(" ")] : [];
  const free = value === "path" ? ["-r", "-F"] : value === "any" ? ["-x"] : [];
  return [complete(condition, [...names, ...words, ...free], describe)];
}

function complete(condition: string, words: readonly string[], describe: string): string {
  const shown = words.map((word) => (/^[\w./-]+$/.test(word) ? word : quoted(word)));
  const text = describe === "" ? "" : ` -d ${quoted(describe)}`;
  return `complete -c indus -n ${quoted(condition)} ${shown.join(" ")}${text}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
