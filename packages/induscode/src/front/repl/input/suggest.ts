import { opendir, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { escapeForDisplay } from "indusagi/core";
import type { ListedItem } from "indusagi/interop";
import { type MentionedServers, promptCommands } from "../../../conductor/mentions/index.ts";
import type { MenuItem, Suggestions } from "./menu.ts";

/** A command that can be suggested. */
interface SuggestedCommand {
  readonly name: string;
  readonly summary: string;
  /** What can follow the name. */
  readonly words?: readonly string[] | undefined;
}

export interface SuggesterOptions {
  readonly cwd: string;
  readonly commands: readonly SuggestedCommand[];
  /** Absent: there are no servers. */
  readonly servers?: MentionedServers | undefined;
  readonly signal: AbortSignal;
  /** Called when more can be suggested than before. */
  readonly changed: () => void;
}

/**
 * Suggests commands and prompts of servers after `/`, files and resources of servers after `@`. Answers at once with what is
 * known: folders and servers are read meanwhile.
 */
export class Suggester {
  readonly #options: SuggesterOptions;
  readonly #folder: FolderReader;
  #prompts: readonly MenuItem[] | undefined;
  #resources: readonly MenuItem[] | undefined;
  #isListing = false;

  constructor(options: SuggesterOptions) {
    this.#options = options;
    this.#folder = new FolderReader(options.changed);
  }

  /** For a new prompt. Asks the servers for their prompts, without waiting; files and resources are listed when needed. */
  refresh(): void {
    const { servers, signal, changed } = this.#options;
    this.#folder.forget();
    this.#isListing = false;
    if (!servers) return;
    const listed = promptCommands(servers, signal).then((prompts) => {
      this.#prompts = prompts.map(({ name, item }) => ({ text: `/${name}`, about: aboutItem(item) }));
    });
    void listed.catch(() => (this.#prompts ??= [])).then(changed);
  }

  suggest(text: string): Suggestions | undefined {
    const [, command, argument] = /^\/([\w-]*)(?: (\S*))?$/.exec(text) ?? [];
    if (command !== undefined) return this.#afterSlash(command, argument);
    const [, path] = /(?:^|\s)@(\S*)$/.exec(text) ?? [];
    return path === undefined ? undefined : this.#afterAt(path, text.length - path.length - 1);
  }

  #afterSlash(command: string, argument: string | undefined): Suggestions | undefined {
    const { commands, servers } = this.#options;
    if (argument === undefined) {
      const own = commands.map(({ name, summary }) => ({ text: `/${name}`, about: summary }));
      const items = best([...own, ...(this.#prompts ?? [])], `/${command}`);
      return { start: 0, items, isLoading: servers !== undefined && this.#prompts === undefined };
    }
    const words = commands.find(({ name }) => name === command)?.words ?? [];
    const items = best(
      words.map((word) => ({ text: word, about: "" })),
      argument,
    );
    return { start: command.length + 2, items, isLoading: false, isOptional: argument === "" };
  }

  #afterAt(path: string, start: number): Suggestions {
    const { servers, cwd } = this.#options;
    if (servers && !this.#isListing) this.#listResources(servers);
    const resources = this.#resources ?? [];
    const typed = `@${path}`;
    if (servers && /^[\w.-]+:/.test(path))
      return { start, items: best(resources, typed), isLoading: this.#resources === undefined };
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    const { names, isLoading } = this.#folder.read(resolve(cwd, folder));
    const files = bestNames(names, path.slice(folder.length)).map((name) => ({
      text: `@${folder}${name}`,
      about: "",
      isOpen: name.endsWith("/"),
    }));
    // One line per server at first: its resources follow when something is typed.
    const known = path === "" ? [] : best(resources, typed);
    return { start, items: [...best(groupsOf(resources), typed), ...files, ...known], isLoading };
  }

  #listResources({ relay, ready }: MentionedServers): void {
    const { signal, changed } = this.#options;
    this.#isListing = true;
    const servers = ready();
    const lists = servers.length === 0 ? Promise.resolve([]) : relay.list("resources", { servers, signal });
    void lists
      .then((all) => {
        this.#resources = all.flatMap(({ server, items }) =>
          items.flatMap((item) => {
            const { uri } = item;
            return typeof uri === "string" && isTypable(uri)
              ? [{ text: `@${server}:${uri}`, about: aboutItem(item) }]
              : [];
          }),
        );
      })
      .catch(() => (this.#resources ??= []))
      .then(changed);
  }
}

function aboutItem({ title, name, description }: ListedItem): string {
  const about = [description, title, name].find((each) => typeof each === "string" && each !== "");
  return typeof about === "string" ? about : "";
}

function groupsOf(resources: readonly MenuItem[]): readonly MenuItem[] {
  const counts = new Map<string, number>();
  for (const { text } of resources) {
    const group = text.slice(0, text.indexOf(":") + 1);
    counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => ({
    text,
    about: count === 1 ? "1 resource" : `${count} resources`,
    isOpen: true,
  }));
}

/** A message ends a mention at a space, and shows what cannot be seen as an escape. */
function isTypable(word: string): boolean {
  return /^\S+$/.test(word) && escapeForDisplay(word) === word;
}

/** Many more could not be looked through. */
const MAX_ITEMS = 500;

function best(items: readonly MenuItem[], typed: string): readonly MenuItem[] {
  const [sign, word] = /^[/@]/.test(typed) ? [typed.charAt(0), typed.slice(1)] : ["", typed];
  const named = new Map(items.map((item) => [item.text.slice(sign.length), item]));
  return bestMatches([...named.keys()], word).flatMap((name) => named.get(name) ?? []);
}

/** The names of a folder that match, in alphabetical order. Hidden ones only after a typed dot. */
function bestNames(names: readonly string[], typed: string): readonly string[] {
  const visible = typed.startsWith(".") ? names : names.filter((name) => !name.startsWith("."));
  return bestMatches(visible, typed, (matches) => matches.toSorted());
}

/** What begins with the typed text, then what has a word that does. */
function bestMatches(
  names: readonly string[],
  typed: string,
  sorted: (matches: readonly string[]) => readonly string[] = (matches) => matches,
): readonly string[] {
  const start = typed.toLowerCase();
  const [first, later]: [string[], string[]] = [[], []];
  for (const name of names) {
    if (first.length >= MAX_ITEMS) break;
    const at = name.toLowerCase().indexOf(start);
    if (at === 0) first.push(name);
    else if (at > 0 && later.length < MAX_ITEMS && hasWord(name.toLowerCase(), start)) later.push(name);
  }
  const all = [...sorted(first), ...sorted(later)].slice(0, MAX_ITEMS);
  // What is typed completely comes first: Enter then sends it.
  return all.includes(typed) ? [typed, ...all.filter((name) => name !== typed)] : all;
}

function hasWord(name: string, start: string): boolean {
  for (let at = name.indexOf(start); at !== -1; at = name.indexOf(start, at + 1))
    if (/[^\p{L}\p{N}]/u.test(name.charAt(at - 1))) return true;
  return false;
}

/** How often the names read so far are shown. */
const SHOW_MS = 100;
/** Names that a user never looks through. */
const MAX_NAMES = 200_000;

/** Reads a folder in the background: it may be huge, or on a slow disk. */
class FolderReader {
  readonly #changed: () => void;
  #folder: string | undefined;
  #names: string[] = [];
  #isLoading = false;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** The names read so far, folders with a slash. */
  read(folder: string): { readonly names: readonly string[]; readonly isLoading: boolean } {
    if (folder !== this.#folder) {
      this.#folder = folder;
      void this.#readNames(folder);
    }
    return { names: this.#names, isLoading: this.#isLoading };
  }

  /** Reads the folder again the next time. */
  forget(): void {
    this.#folder = undefined;
  }

  async #readNames(folder: string): Promise<void> {
    const names: string[] = [];
    this.#names = names;
    this.#isLoading = true;
    let shownMs = performance.now();
    try {
      for await (const entry of await opendir(folder, { bufferSize: 1024 })) {
        // Another folder is read by now.
        if (this.#names !== names) return;
        const { name } = entry;
        if (!isTypable(name)) continue;
        const isFolder = entry.isSymbolicLink()
          ? await leadsToFolder(resolve(folder, name))
          : entry.isDirectory();
        names.push(isFolder ? `${name}/` : name);
        if (names.length >= MAX_NAMES) break;
        if (performance.now() - shownMs < SHOW_MS) continue;
        this.#changed();
        shownMs = performance.now();
      }
    } catch {
      // The folder does not exist or cannot be read.
    }
    if (this.#names !== names) return;
    this.#isLoading = false;
    this.#changed();
  }
}

async function leadsToFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
