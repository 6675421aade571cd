import { checkOptions, type OptionTable, type SortedWords } from "./check-options.ts";
import { findProblem } from "./find-command.ts";
import { gitProblem } from "./git-command.ts";
import { sedProblem } from "./sed-script.ts";
import type { ShellWord } from "./shell-words.ts";

/** Why a command may do more than read, or `undefined`. `words` are those after its name. */
export type ReaderCheck = (words: readonly ShellWord[]) => string | undefined;

/** The check of a program that is known to only read with certain options, or `undefined` for any other. */
export function readerOf(name: string): ReaderCheck | undefined {
  const row = READERS.get(name);
  if (row === undefined || typeof row === "function") return row;
  return (words) => checkOptions(words, row).problem;
}

/** A table, and a check of the words that fit it. */
function tableAnd(table: OptionTable, check: (sorted: SortedWords) => string | undefined): ReaderCheck {
  return (words) => {
    const sorted = checkOptions(words, table);
    return sorted.problem ?? check(sorted);
  };
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
const FORMAT = /^(?:[^%]|%%|%[-+ 0#]*\d*(?:\.\d+)?[sqbcdiuoxX])*$/;
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

const DIGESTS: OptionTable = { flags: "bctwz", long: "binary check text tag quiet status strict warn zero" };
const GREP: OptionTable = {
  flags: "EFGPivwxcLlnoHhqsrRIazbTUy0Z",
  values: "efmABCdD",
  count: true,
  long:
    "extended-regexp fixed-strings basic-regexp perl-regexp regexp= file= ignore-case no-ignore-case invert-match word-regexp " +
    "line-regexp count color=? colour=? files-without-match files-with-matches max-count= only-matching quiet silent " +
    "no-messages byte-offset with-filename no-filename label= line-number initial-tab null after-context= before-context= " +
    "context= text binary-files= exclude= exclude-from= exclude-dir= include= recursive dereference-recursive null-data",
};

/** Programs whose listed options only read: they print to standard output and start no other program. */
const READERS: ReadonlyMap<string, OptionTable | ReaderCheck> = new Map<string, OptionTable | ReaderCheck>([
  ["arch", {}],
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
  ["cd", { flags: "PL", operands: 1 }],
  [
    "cksum",
    { flags: "bctwz", values: "a", long: "algorithm= check tag untagged quiet status strict warn zero" },
  ],
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
  [
    "diff",
    {
      flags: "abBcdeEiNnpqrstTuwyZ",
      values: "ICFSUxXW",
      long:
        "brief report-identical-files context=? unified=? ed normal side-by-side width= left-column suppress-common-lines " +
        "show-c-function show-function-line= label= expand-tabs initial-tab recursive new-file unidirectional-new-file " +
        "ignore-file-name-case exclude= ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change " +
        "ignore-all-space ignore-blank-lines ignore-matching-lines= text strip-trailing-cr minimal color=? no-dereference",
    },
  ],
  ["dirname", { flags: "z", long: "zero" }],
  [
    "du",
    {
      flags: "0aAbcDhHklLmPsSx",
      values: "dtBI",
      long: "all apparent-size bytes total dereference max-depth= human-readable count-links separate-dirs si summarize threshold= time=? exclude= one-file-system inodes block-size=",
    },
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
  ["hexdump", { flags: "bcCdovx", values: "ens", long: "canonical" }],
  // An operand sets the name.
  ["hostname", { flags: "fsiIdA", operands: 0, long: "fqdn long short ip-address all-ip-addresses domain" }],
  ["id", { flags: "ugnrGzZ", long: "user group groups name real zero" }],
  ["join", { flags: "iz", values: "12aeotjv", long: "header check-order nocheck-order" }],
  [
    "jq",
    {
      flags: "rcesnSMCajR",
      long: "raw-output compact-output exit-status slurp null-input sort-keys monochrome-output color-output ascii-output join-output raw-input tab seq",
    },
  ],
  [
    "ls",
    {
      flags: "aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1",
      values: "ITw",
      long:
        "all almost-all author escape block-size= ignore-backups color=? directory dired classify=? file-type format= full-time " +
        "group-directories-first no-group human-readable si dereference dereference-command-line hide= hyperlink=? indicator-style= " +
        "inode ignore= kibibytes literal numeric-uid-gid quote-name quoting-style= reverse recursive size sort= time= time-style= width= zero",
    },
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
  ["printenv", { flags: "0", long: "null" }],
  ["printf", checkPrintf],
  [
    "ps",
    {
      flags: "AadeFfHjLlMTuvwxcyZN",
      values: "CGgopstUuk",
      long: "forest headers no-headers pid= ppid= user= sort= format= cols= rows=",
    },
  ],
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
    {
      flags: "abcFHiIlLnNopPqsSuUvwx0.",
      values: "ABCdeEfgjmMrtT",
      long:
        "after-context= before-context= context= max-depth= regexp= encoding= file= glob= iglob= max-count= max-columns= max-columns-preview " +
        "replace= type= type-not= type-list files files-with-matches files-without-match count count-matches fixed-strings hidden no-hidden ignore-case " +
        "smart-case case-sensitive invert-match line-number no-line-number line-regexp word-regexp multiline multiline-dotall no-ignore no-ignore-vcs " +
        "no-filename with-filename no-heading heading no-config no-messages null only-matching passthru pcre2 pretty quiet sort= sortr= stats text " +
        "threads= trim unrestricted vimgrep color= colors= column no-column json follow one-file-system binary crlf max-filesize= path-separator=",
    },
  ],
  ["sed", sedProblem],
  ["seq", { flags: "w", values: "fs", count: true, long: "equal-width format= separator=" }],
  ["sha1sum", DIGESTS],
  ["sha224sum", DIGESTS],
  ["sha256sum", DIGESTS],
  ["sha384sum", DIGESTS],
  ["sha512sum", DIGESTS],
  ["shasum", { flags: "bctqsw", values: "a", long: "algorithm= binary check text" }],
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
  ["strings", { flags: "af", values: "net", long: "all print-file-name bytes= radix= encoding=" }],
  ["tac", { flags: "br", values: "s", long: "before regex separator=" }],
  [
    "tail",
    { flags: "qrvz", values: "nc", count: true, long: "bytes= lines= quiet silent verbose zero-terminated" },
  ],
  ["tr", { flags: "cCdst", long: "complement delete squeeze-repeats truncate-set1" }],
  // -o writes, and -R writes a page into each folder.
  [
    "tree",
    {
      flags: "adfilpsughDFQNCnvtrcU",
      values: "LIP",
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
  ["unzip", { flags: "lvZ1", operands: 1 }],
  ["uptime", { flags: "ps", operands: 0, long: "pretty since" }],
  ["wc", { flags: "clmwL", long: "bytes chars lines words max-line-length total=" }],
  ["which", { flags: "a" }],
  ["whoami", { operands: 0 }],
  // The second operand is the output.
  ["xxd", { flags: "abBeEipuC", values: "cglos", operands: 1 }],
  ["zcat", { operands: 1 }],
]);
