import { statSync } from "node:fs";
import { resolve } from "node:path";
import { realPath } from "../paths/real-path.ts";
import { checkOptions, type OptionTable, type SortedWords } from "./check-options.ts";
import { findProblem, sedProblem } from "./find-and-sed.ts";
import { gitProblem } from "./git-command.ts";
import { linkProblem, type Where } from "./repository.ts";
import type { ShellWord } from "./shell-words.ts";

/** Why a command may do more than read, or `undefined`. `words` are the words after its name. */
export type ReaderCheck = (words: readonly ShellWord[], where: Where) => string | undefined;

/** The check of a program that is known to only read with certain options, or `undefined` for any other. */
export function readerOf(name: string): ReaderCheck | undefined {
  const row = READERS.get(name);
  if (row === undefined || typeof row === "function") return row;
  return (words) => checkOptions(words, row).problem;
}

/** A table, plus a check of the words that fit it. */
function tableAnd(
  table: OptionTable,
  check: (sorted: SortedWords, where: Where) => string | undefined,
): ReaderCheck {
  return (words, where) => {
    const sorted = checkOptions(words, table);
    return sorted.problem ?? check(sorted, where);
  };
}

/** With these options the program follows links, so no link in the session's folder may lead outside. */
function followsWith(options: string, table: OptionTable): ReaderCheck {
  return tableAnd(table, (sorted, where) =>
    options.split(" ").some((option) => sorted.options.has(option)) ? linkProblem(where) : undefined,
  );
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false; // A folder above is a file or inaccessible.
  }
}

const anyWords: ReaderCheck = () => undefined;
const onlyVersion: ReaderCheck = ([first, ...more]) =>
  first?.text === "--version" && more.length === 0 ? undefined : "only --version is known to only read";

/** An operand without `+` sets the clock. */
const checkDate = tableAnd(
  { flags: "uR", optional: "I", long: "utc iso-8601=? rfc-3339= rfc-email date=" },
  (sorted) =>
    sorted.operands.every(({ text }) => text.startsWith("+"))
      ? undefined
      : "an operand without + sets the clock",
);

/** `%n` and `-v` assign to a variable, whose subscript may run a command. */
const FORMAT = /^(?:[^%]|%%|%-?\d{0,3}(?:\.\d{1,3})?[sqbc])*$/;
const checkPrintf: ReaderCheck = ([format]) => {
  if (format === undefined || format.text.startsWith("-")) return "printf takes a format first, no options";
  return format.globAt === undefined && FORMAT.test(format.text)
    ? undefined
    : "the format has an unusual conversion";
};

const checkCommand: ReaderCheck = ([option, ...names]) =>
  /^-[vV]$/.test(option?.text ?? "") && names.every(({ text }) => !text.startsWith("-"))
    ? undefined
    : "only command -v is known to only read";

/** Only to a folder whose path has no links: then `..` means the same to the shell and to programs. */
const checkCd: ReaderCheck = ([target, ...more], { folders }) => {
  if (!target || more.length > 0 || /^[-~]|^$/.test(target.text) || target.globAt !== undefined)
    return "only the plain path of one folder is known";
  const isKnown = folders.every((folder) => {
    const path = resolve(folder, target.text);
    return realPath(path) === path && isFolder(path);
  });
  return isKnown ? undefined : `${target.text} is not a folder, or a link leads to it`;
};

/** File tests and comparisons of texts. `-v` and `-R` evaluate a subscript, which may run a command. */
const checkTest = (words: readonly ShellWord[], isKeyword = false): string | undefined => {
  const [first = "", second = "", third, ...more] = words
    .map(({ text }) => text)
    .filter((text) => text !== "!");
  const isFileTest = /^-[edfrwxshLnzSpbcgkuOGN]$/.test(first) && third === undefined;
  const isComparison =
    /^!?==?$/.test(second) && third !== undefined && more.length === 0 && !first.startsWith("-");
  // Between double brackets the operators of the shell mean something else.
  return isFileTest || (isComparison && !isKeyword)
    ? undefined
    : "only tests of one file and comparisons of two texts are known";
};

/** Awk words that run programs, open files, read the environment or may loop forever; `>` writes and `|` runs. */
const AWK_REACH =
  />(?!=)|(?<!\|)\|(?!\|)|[@`]|(?<![A-Za-z_])(?:for|while|do|func|function|system|getline|close|fflush|ENVIRON|PROCINFO|ARGV|ARGC|SYMTAB|FUNCTAB|include|load|extension)\b/;
const checkAwk = tableAnd({ values: "Fv" }, ({ operands: [script, ...files], values }) => {
  if (!script || script.globAt !== undefined || AWK_REACH.test(script.text))
    return "the script may do more than print";
  if (values.some(({ option, value }) => option === "v" && !/^[a-z]\w*=/.test(value)))
    return "-v is known only for lower-case variable names";
  // An operand may assign to a variable, and gawk opens some names as connections.
  const odd = files.find(({ text }) => /^[A-Za-z_]\w*=|^\/(?:inet|dev)/.test(text));
  return odd === undefined ? undefined : `${odd.text} may not be a file`;
});

/** These read the environment and other files, or may loop forever. A comment may separate a dollar sign from its name. */
const JQ_REACH =
  /#|\$\s*__|(?<![A-Za-z_])(?:ENV|env|import|include|modulemeta|get_search_list|def|repeat|until|while|recurse|range|infinite|inputs?)(?![A-Za-z_])/;
const checkJq = tableAnd(
  {
    flags: "rcesnSMCajR",
    long: "raw-output compact-output exit-status slurp null-input sort-keys monochrome-output color-output ascii-output join-output raw-input tab seq",
  },
  ({ operands: [script] }) =>
    script?.globAt !== undefined || JQ_REACH.test(script?.text ?? "")
      ? "the filter may read the environment or other files, or never end"
      : undefined,
);

/** Without one of these options `unzip` writes. It parses options in its own way, so they must be separate words. */
const checkUnzip: ReaderCheck = ([option, ...operands], where) =>
  /^-(?:l|v|p|t|Z|Z1)$/.test(option?.text ?? "") &&
  operands.every(({ text }) => /^[^-][^*?[]*$/.test(text)) &&
  areThere(operands.slice(0, 1), where)
    ? undefined
    : "only unzip -l, -v, -p, -t, -Z and -Z1 with a file that exists are known to only read";

/** Some programs try another name if the file does not exist. */
function areThere(operands: readonly ShellWord[], { folders }: Where): boolean {
  const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;
  return (
    operands.length > 0 &&
    operands.every(({ text }) => folders.every((folder) => isThere(resolve(folder, text))))
  );
}

const TAR = tableAnd(
  {
    flags: "tvzjJ",
    values: "f",
    long: "list verbose gzip bzip2 xz file= exclude= wildcards no-wildcards full-time numeric-owner",
  },
  ({ options, values }) => {
    if (!options.has("t") && !options.has("list")) return "only -t is known to only read";
    // A colon in the name of an archive means another machine, which tar reaches with rsh.
    const archives = values.filter(({ option }) => option === "f" || option === "file");
    const isPlain = archives.length === 1 && !archives[0]?.value.includes(":");
    return isPlain ? undefined : "the archive must be one plain file";
  },
);
/** `tar tf` is `tar -tf`. In the old form values follow in the order of the letters, so only `f` at the end is known. */
const checkTar: ReaderCheck = ([first, ...more], where) => {
  const old = first && /^[tvzjJ]+f$/.test(first.text) ? [{ ...first, text: `-${first.text}` }] : [];
  return TAR(old.length > 0 ? [...old, ...more] : first ? [first, ...more] : [], where);
};

/** Without a dash `e` shows the environment of processes, and an unknown group with a dash is read as one without. */
const checkPs: ReaderCheck = (words) => {
  for (let at = 0; at < words.length; at += 1) {
    const text = words[at]?.text ?? "";
    if (/^-(?:o|eo|p)$/.test(text)) at += /^[\w%,:=]+$/.test(words[at + 1]?.text ?? "") ? 1 : 1_000;
    else if (!/^(?:-[AaefFlj]+|[afjluxw]+|--forest|--no-headers|--sort=[\w%,-]+)$/.test(text)) at = 1_000;
    if (at >= 1_000) return `${text} is not known to only read`;
  }
  return undefined;
};

/** A comparison of folders follows links unless it is told not to. */
const checkDiff = tableAnd(
  {
    flags: "abBcdeEiNnpqrstTuwyZ",
    values: "ICFSUxXW",
    long:
      "brief report-identical-files context=? unified=? ed normal side-by-side width= left-column suppress-common-lines " +
      "show-c-function show-function-line= label= expand-tabs initial-tab recursive new-file unidirectional-new-file " +
      "ignore-file-name-case exclude= ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change " +
      "ignore-all-space ignore-blank-lines ignore-matching-lines= text strip-trailing-cr minimal color=? no-dereference",
  },
  ({ options, operands }, where) => {
    const isFolders = operands.some(
      ({ text, globAt }) =>
        globAt !== undefined || where.folders.some((folder) => isFolder(resolve(folder, text))),
    );
    return isFolders && !options.has("no-dereference") ? linkProblem(where) : undefined;
  },
);

/** Not --check: the files that a list names may be anywhere. */
const DIGESTS: OptionTable = { flags: "btwz", long: "binary text tag quiet status strict warn zero" };
const GREP: ReaderCheck = followsWith("R dereference-recursive", {
  flags: "EFGPivwxcLlnoHhqsrRIazbTUy0Z",
  values: "efmABCdD",
  count: true,
  long:
    "extended-regexp fixed-strings basic-regexp perl-regexp regexp= file= ignore-case no-ignore-case invert-match word-regexp " +
    "line-regexp count color=? colour=? files-without-match files-with-matches max-count= only-matching quiet silent " +
    "no-messages byte-offset with-filename no-filename label= line-number initial-tab null after-context= before-context= " +
    "context= text binary-files= exclude= exclude-from= exclude-dir= include= recursive dereference-recursive null-data",
});

/** Programs whose listed options only read: they print to stdout and start no other program. */
const READERS: ReadonlyMap<string, OptionTable | ReaderCheck> = new Map<string, OptionTable | ReaderCheck>([
  ["[", (words) => checkTest(words.slice(0, -1))],
  ["[[", (words) => checkTest(words.slice(0, -1), true)],
  ["arch", {}],
  ["awk", checkAwk],
  ["b2sum", DIGESTS],
  // On macOS -i and -o name files.
  ["base64", { flags: "dD", values: "w", long: "decode wrap=", operands: 1 }],
  ["basename", { flags: "az", values: "s", long: "multiple suffix= zero" }],
  [
    "cat",
    {
      flags: "AbeEnstTuv",
      long: "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting",
    },
  ],
  ["cd", checkCd],
  ["cksum", { flags: "btwz", values: "a", long: "algorithm= tag untagged quiet status strict warn zero" }],
  ["cmp", { flags: "bls", values: "in", long: "print-bytes verbose quiet silent bytes= ignore-initial=" }],
  ["column", { flags: "tx", values: "cs", long: "table separator=" }],
  ["comm", { flags: "123iz", long: "check-order nocheck-order output-delimiter= total zero-terminated" }],
  ["command", checkCommand],
  [
    "cut",
    {
      flags: "nsz",
      values: "bcdf",
      long: "bytes= characters= delimiter= fields= complement only-delimited output-delimiter= zero-terminated",
    },
  ],
  ["date", checkDate],
  [
    "df",
    {
      flags: "ahHiklmPT",
      values: "tx",
      long: "all human-readable si inodes local portability print-type total type= exclude-type=",
    },
  ],
  ["diff", checkDiff],
  ["dirname", { flags: "z", long: "zero" }],
  [
    "du",
    followsWith("L dereference", {
      flags: "0aAbcDhHklLmPsSx",
      values: "dtBI",
      long: "all apparent-size bytes total dereference max-depth= human-readable count-links separate-dirs si summarize threshold= time=? exclude= one-file-system inodes block-size=",
    }),
  ],
  ["echo", anyWords],
  ["egrep", GREP],
  ["expand", { flags: "i", values: "t", long: "initial tabs=" }],
  ["false", {}],
  ["fgrep", GREP],
  [
    "file",
    {
      flags: "bhiLNrk0",
      values: "F",
      long: "brief mime mime-type mime-encoding dereference no-dereference separator= print0",
    },
  ],
  // Not -x, -X and --exec, which run programs.
  [
    "fd",
    followsWith("L follow", {
      flags: "HIuspagiFl0Lq1",
      values: "detEcSjM",
      valuesAlone: true,
      long:
        "hidden no-ignore unrestricted case-sensitive ignore-case glob regex fixed-strings absolute-path list-details follow full-path " +
        "print0 max-depth= min-depth= exact-depth= exclude= type= extension= size= changed-within= changed-before= color= threads= max-results= quiet",
    }),
  ],
  ["find", findProblem],
  ["fmt", { flags: "cstu", values: "wgp", long: "width= goal= split-only" }],
  ["fold", { flags: "bs", values: "w", long: "bytes spaces width=" }],
  ["free", { flags: "bkmghtw", long: "bytes kibi mebi gibi human total wide si" }],
  ["gcc", onlyVersion],
  ["git", gitProblem],
  ["grep", GREP],
  ["groups", {}],
  [
    "head",
    { flags: "qvz", values: "nc", count: true, long: "bytes= lines= quiet silent verbose zero-terminated" },
  ],
  // Without both it replaces the file.
  [
    "gzip",
    tableAnd(
      { flags: "cdkqltv", long: "stdout to-stdout decompress uncompress list test keep quiet verbose" },
      ({ options }) => {
        const prints = ["c", "stdout", "to-stdout", "l", "list", "t", "test"].some((option) =>
          options.has(option),
        );
        return prints ? undefined : "only -c, -l and -t are known to only read";
      },
    ),
  ],
  ["hexdump", { flags: "bcCdovx", values: "ens", long: "canonical" }],
  // An operand sets the name, and most options ask a name server.
  ["hostname", { flags: "s", operands: 0, long: "short" }],
  ["id", { flags: "ugnrGzZ", long: "user group groups name real zero" }],
  ["join", { flags: "iz", values: "12aeotjv", long: "header check-order nocheck-order" }],
  ["jq", checkJq],
  [
    "ls",
    followsWith("L dereference", {
      flags: "aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1",
      values: "ITw",
      long:
        "all almost-all author escape block-size= ignore-backups color=? directory dired classify=? file-type format= full-time " +
        "group-directories-first no-group human-readable si dereference dereference-command-line hide= hyperlink=? indicator-style= " +
        "inode ignore= kibibytes literal numeric-uid-gid quote-name quoting-style= reverse recursive size sort= time= time-style= width= zero",
    }),
  ],
  ["make", onlyVersion],
  ["md5sum", DIGESTS],
  [
    "nl",
    {
      flags: "p",
      values: "bdfhilnsvw",
      long: "body-numbering= number-format= number-separator= number-width= starting-line-number=",
    },
  ],
  ["node", onlyVersion],
  ["npm", onlyVersion],
  ["nproc", { long: "all ignore=" }],
  [
    "od",
    {
      flags: "abcdfilosvx",
      values: "AjNStw",
      long: "address-radix= skip-bytes= read-bytes= format= output-duplicates width=",
    },
  ],
  ["paste", { flags: "sz", values: "d", long: "delimiters= serial zero-terminated" }],
  // Others may be secrets.
  [
    "printenv",
    (words) =>
      words.length > 0 &&
      words.every(({ text }) => /^(?:HOME|LANG|PATH|PWD|SHELL|TERM|TMPDIR|USER)$/.test(text))
        ? undefined
        : "only names such as PATH and HOME are known not to be secrets",
  ],
  ["printf", checkPrintf],
  ["ps", checkPs],
  ["pwd", { flags: "LP", operands: 0 }],
  ["python3", onlyVersion],
  [
    "readlink",
    { flags: "efmnqsvz", long: "canonicalize canonicalize-existing canonicalize-missing no-newline zero" },
  ],
  [
    "realpath",
    {
      flags: "eLmPqsz",
      long: "canonicalize-existing canonicalize-missing logical physical quiet relative-to= relative-base= strip no-symlinks zero",
    },
  ],
  ["rev", {}],
  [
    "rg",
    followsWith("L follow", {
      flags: "abcFHiIlLnNopPqsSuUvwx0.",
      values: "ABCdeEfgjmMrtT",
      long:
        "after-context= before-context= context= max-depth= regexp= encoding= file= glob= iglob= max-count= max-columns= max-columns-preview " +
        "replace= type= type-not= type-list files files-with-matches files-without-match count count-matches fixed-strings hidden no-hidden ignore-case " +
        "smart-case case-sensitive invert-match line-number no-line-number line-regexp word-regexp multiline multiline-dotall no-ignore no-ignore-vcs " +
        "no-filename with-filename no-heading heading no-config no-messages null only-matching passthru pcre2 pretty quiet sort= sortr= stats text " +
        "threads= trim unrestricted vimgrep color= colors= column no-column json follow one-file-system binary crlf max-filesize= path-separator=",
    }),
  ],
  ["sed", sedProblem],
  // With an infinite end or a step of zero it never ends.
  [
    "seq",
    tableAnd(
      { flags: "w", values: "fs", count: true, long: "equal-width format= separator=" },
      ({ operands }) => {
        const numbers = operands.map(({ text }) => text);
        const isFinite =
          numbers.every((text) => /^\d{1,6}$/.test(text)) &&
          !(numbers.length > 2 && Number(numbers[1]) === 0);
        return isFinite ? undefined : "only short whole numbers, and a step of at least 1, are known to end";
      },
    ),
  ],
  ["sha1sum", DIGESTS],
  ["sha224sum", DIGESTS],
  ["sha256sum", DIGESTS],
  ["sha384sum", DIGESTS],
  ["sha512sum", DIGESTS],
  ["shasum", { flags: "btqsw", values: "a", long: "algorithm= binary text" }],
  // -o writes, --compress-program runs a program, -T names a folder to write to.
  [
    "sort",
    {
      flags: "bcCdfghiMmnrRsuVz",
      values: "kt",
      long:
        "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort human-numeric-sort " +
        "numeric-sort random-sort reverse sort= version-sort check=? key= merge stable field-separator= unique zero-terminated parallel= debug",
    },
  ],
  ["stat", { flags: "fLltxs", values: "c", long: "dereference file-system format= printf= terse" }],
  // An operand @FILE names a file with options.
  [
    "strings",
    tableAnd(
      { flags: "af", values: "net", long: "all print-file-name bytes= radix= encoding=" },
      ({ operands }) =>
        operands.some(({ text }) => text.startsWith("@")) ? "@ names a file with options" : undefined,
    ),
  ],
  ["tac", { flags: "br", values: "s", long: "before regex separator=" }],
  // +1f is the old form of -f.
  [
    "tail",
    tableAnd(
      {
        flags: "qrvz",
        values: "nc",
        count: true,
        long: "bytes= lines= quiet silent verbose zero-terminated",
      },
      ({ operands }) =>
        operands.some(({ text }) => text.startsWith("+")) ? "+ may be an option" : undefined,
    ),
  ],
  ["tar", checkTar],
  ["test", (words) => checkTest(words)],
  ["tr", { flags: "cCdst", long: "complement delete squeeze-repeats truncate-set1" }],
  // -o writes, -R writes a page into each folder, -l follows links. It parses on after the letter of an option with a value.
  [
    "tree",
    {
      flags: "adfipsughDFQNCnvtrcU",
      values: "LIP",
      valuesAlone: true,
      long: "dirsfirst filesfirst noreport prune gitignore matchdirs ignore-case du si inodes charset= filelimit= sort=? timefmt=",
    },
  ],
  ["true", {}],
  ["type", { flags: "afptP" }],
  [
    "uname",
    {
      flags: "asnrvmpio",
      operands: 0,
      long: "all kernel-name nodename kernel-release kernel-version machine processor operating-system",
    },
  ],
  ["unexpand", { flags: "a", values: "t", long: "all first-only tabs=" }],
  // The second operand is the output.
  [
    "uniq",
    {
      flags: "cdDiuz",
      values: "fsw",
      operands: 1,
      long: "count repeated all-repeated=? skip-fields= skip-chars= check-chars= ignore-case unique zero-terminated group=?",
    },
  ],
  ["unzip", checkUnzip],
  ["uptime", { flags: "ps", operands: 0, long: "pretty since" }],
  ["wc", { flags: "clmwL", long: "bytes chars lines words max-line-length total=" }],
  ["which", { flags: "a" }],
  ["whoami", { operands: 0 }],
  // The second operand is the output.
  ["xxd", { flags: "abBeEipuC", values: "cglos", alone: true, operands: 1 }],
  [
    "zcat",
    tableAnd({ operands: 1 }, ({ operands }, where) =>
      operands.length === 0 || areThere(operands, where) ? undefined : "the file must exist",
    ),
  ],
]);
