import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The types of a subpath in one text: its exported declarations, and the private ones that they mention, without comments
 * and without the files that they come from. Moving a declaration to another file changes nothing; changing it does.
 */
export function flattenTypes(index: string): string {
  const flat = new Flattened(index);
  return flat.text();
}

/** A declaration in a file, or a name that another package exports. */
type Found =
  | { readonly file: string; readonly name: string; readonly text: string }
  | { readonly from: string; readonly name: string };

class Flattened {
  readonly #index: string;
  readonly #files = new Map<string, DeclarationFile>();
  /** What is printed under a name, by the declaration. Two private types of one name get a number. */
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();
  readonly #printed = new Map<string, string>();
  readonly #external = new Set<string>();

  constructor(index: string) {
    this.#index = index;
  }

  text(): string {
    const exported = [...this.#file(this.#index).exports.keys()].sort();
    // Exported names first: they keep their names.
    const found = exported.map((name) => ({ name, found: this.#find(this.#index, name) }));
    for (const one of found) this.#name(one.found, one.name);
    for (const one of found) this.#print(one.found);
    const lines = [...this.#printed.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
    return `${[...[...this.#external].sort(), "", `export: ${exported.join(" ")}`, "", ...lines].join("\n")}\n`;
  }

  #name(found: Found, wanted: string): string {
    const key = "text" in found ? `${found.file} ${found.name}` : `${found.from} ${found.name}`;
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    let name = wanted;
    for (let number = 2; this.#taken.has(name); number += 1) name = `${wanted}_${number}`;
    this.#taken.add(name);
    this.#names.set(key, name);
    return name;
  }

  #print(found: Found): string {
    const name = this.#name(found, found.name);
    if (!("text" in found)) {
      this.#external.add(`from "${found.from}": ${found.name}`);
      return name;
    }
    if (this.#printed.has(name)) return name;
    this.#printed.set(name, ""); // A type may mention itself.
    const text = found.text.replaceAll(MENTION, (whole: string, mentioned: string, offset: number) => {
      if (mentioned === found.name) return name;
      const isType = /^[A-Z]/.test(mentioned) || /\btypeof $/.test(found.text.slice(0, offset));
      const scope = this.#file(found.file);
      if (!isType || !scope.knows(mentioned)) return whole;
      return this.#print(this.#find(found.file, mentioned, true));
    });
    this.#printed.set(name, text);
    return name;
  }

  /** Where a name that a file exports, or uses inside, is declared. */
  #find(file: string, name: string, isInside = false): Found {
    const { declarations, imports, exports } = this.#file(file);
    const entry = isInside ? { local: name } : exports.get(name);
    if (entry && "from" in entry) return this.#foreign(file, entry);
    const local = entry?.local ?? name;
    const text = declarations.get(local);
    if (text !== undefined) return { file, name: local, text };
    const imported = imports.get(local);
    if (!imported) throw new Error(`${file} has no ${name}`);
    return this.#foreign(file, imported);
  }

  #foreign(file: string, { from, name }: Import): Found {
    if (!from.startsWith(".")) return { from, name };
    return this.#find(sourceOf(file, from), name);
  }

  #file(path: string): DeclarationFile {
    let file = this.#files.get(path);
    if (!file) {
      file = new DeclarationFile(readFileSync(path, "utf8"));
      this.#files.set(path, file);
    }
    return file;
  }
}

const MENTION = /(?<![.\w$"'-])([A-Za-z_$][\w$]*)(?![\w$]|\??:|\()/g;

function sourceOf(file: string, from: string): string {
  const path = join(dirname(file), from.replace(/\.[jt]s$/, ".d.ts"));
  if (!existsSync(path)) throw new Error(`${file} imports ${from}, which has no types; run npm run build`);
  return path;
}

interface Import {
  readonly from: string;
  readonly name: string;
}

/** One file that the compiler wrote: what it declares, imports and exports. */
class DeclarationFile {
  readonly declarations = new Map<string, string>();
  readonly imports = new Map<string, Import>();
  readonly exports = new Map<string, Import | { readonly local: string }>();

  constructor(source: string) {
    for (const statement of statementsOf(withoutComments(source))) this.#read(statement);
  }

  knows(name: string): boolean {
    return this.declarations.has(name) || this.imports.has(name);
  }

  #read(statement: string): void {
    const list = /^(import|export)(?: type)? \{([^}]*)\}(?: from "([^"]+)")?;$/.exec(statement);
    if (list) return this.#readList(list[1] === "export", list[2] ?? "", list[3]);
    const space = /^import(?: type)? \* as (\w+) from "([^"]+)";$/.exec(statement);
    if (space) return void this.imports.set(space[1] ?? "", { from: space[2] ?? "", name: "*" });
    const declared =
      /^(export )?(?:declare )?(?:abstract )?(?:interface|type|class|function|const|let|enum|namespace) ([\w$]+)/.exec(
        statement,
      );
    if (!declared) throw new Error(`not understood: ${statement.slice(0, 200)}`);
    const [, isExported, name = ""] = declared;
    const text = statement.replace(/^export /, "").replace(/^declare /, "");
    // Overloads, and a value and a type of one name.
    const before = this.declarations.get(name);
    this.declarations.set(name, before === undefined ? text : `${before}\n${text}`);
    if (isExported) this.exports.set(name, { local: name });
  }

  #readList(isExport: boolean, list: string, from: string | undefined): void {
    for (const item of list.split(",").map((each) => each.trim().replace(/^type /, ""))) {
      if (item === "") continue;
      const [name = "", alias = name] = item.split(" as ");
      if (!isExport) this.imports.set(alias, { from: from ?? "", name });
      else this.exports.set(alias, from === undefined ? { local: name } : { from, name });
    }
  }
}

/** Comments are not part of a type. A text in quotes may look like one. */
function withoutComments(source: string): string {
  return source.replaceAll(
    /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
    "$1",
  );
}

/** The statements of a file of types: each ends with a semicolon, or with the brace that it opened. */
function statementsOf(source: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  const end = (at: number): void => {
    const text = source.slice(start, at).replaceAll(/\s+/g, " ").trim();
    if (text !== "" && text !== ";" && text !== "export {};") found.push(text);
    start = at;
  };
  for (let at = 0; at < source.length; at += 1) {
    const char = source[at] as string;
    if ("\"'`".includes(char)) at = closingQuote(source, at);
    else if ("{([".includes(char)) depth += 1;
    else if ("})]".includes(char)) {
      depth -= 1;
      const isBlock = char === "}" && depth === 0 && BLOCK.test(source.slice(start, at).trim());
      if (isBlock) end(at + 1);
    } else if (char === ";" && depth === 0) end(at + 1);
  }
  end(source.length);
  return found;
}

const BLOCK = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|class|enum|namespace) /;

function closingQuote(source: string, open: number): number {
  let at = open + 1;
  while (at < source.length && source[at] !== source[open]) at += source[at] === "\\" ? 2 : 1;
  return at;
}
