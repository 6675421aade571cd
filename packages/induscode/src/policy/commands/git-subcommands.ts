import type { OptionTable } from "./check-options.ts";

/** A subcommand of git and its options that only read. */
export interface Subcommand extends OptionTable {
  /** Also takes the options of `git diff`. */
  readonly diffs?: true;
  /** Also takes the options of `git log`. */
  readonly logs?: true;
  /** With operands it only reads if one of these options is given. */
  readonly listsWith?: readonly string[];
  /** The first word must be one of these. An empty one: it may be missing, and then there are no operands. */
  readonly verbs?: readonly string[];
}

/** Not here: --output, --ext-diff, --textconv, -O. */
export const DIFFS: OptionTable = {
  flags: "puswbaRzq",
  values: "USGI",
  optional: "MCBX",
  long:
    "patch no-patch unified= raw patch-with-raw patch-with-stat indent-heuristic minimal patience histogram anchored= diff-algorithm= stat=? compact-summary " +
    "numstat shortstat dirstat=? cumulative summary name-only name-status no-color color=? color-moved=? word-diff=? word-diff-regex= color-words=? no-renames " +
    "rename-empty check full-index binary abbrev=? break-rewrites=? find-renames=? find-copies=? find-copies-harder irreversible-delete diff-filter= " +
    "pickaxe-all pickaxe-regex relative=? no-relative text ignore-cr-at-eol ignore-space-at-eol ignore-space-change ignore-all-space ignore-blank-lines " +
    "ignore-matching-lines= inter-hunk-context= function-context exit-code quiet no-ext-diff no-textconv ignore-submodules=? src-prefix= dst-prefix= no-prefix " +
    "default-prefix line-prefix= ita-invisible-in-index",
};

/** Not here: --show-signature and --remerge-diff, which run other programs. */
export const LOGS: OptionTable = {
  flags: "iEFPgcmt",
  values: "nL",
  count: true,
  long:
    "oneline graph all decorate=? no-decorate decorate-refs= pretty=? format= abbrev-commit no-abbrev-commit date= relative-date since= until= after= before= " +
    "author= committer= grep= grep-reflog= all-match invert-grep regexp-ignore-case extended-regexp fixed-strings perl-regexp merges no-merges min-parents= " +
    "max-parents= first-parent reverse max-count= skip= follow branches=? tags=? remotes=? exclude= glob= left-right left-only right-only cherry cherry-mark " +
    "cherry-pick boundary source topo-order date-order author-date-order not simplify-by-decoration full-history ancestry-path=? dense sparse simplify-merges " +
    "show-pulls walk-reflogs reflog merge cc combined-all-paths no-diff-merges parents children count objects no-walk=? full-diff log-size " +
    "no-expand-tabs expand-tabs=? notes=? no-notes show-linear-break=? encoding= no-mailmap mailmap use-mailmap clear-decorations end-of-options",
};

const REFS =
  "contains= no-contains= merged= no-merged= points-at= sort= format= ignore-case color=? column=? no-column";
const REF_LISTS = ["list", "contains", "no-contains", "merged", "no-merged", "points-at"];

/** Every subcommand with a form that only reads. */
export const SUBCOMMANDS: ReadonlyMap<string, Subcommand> = new Map<string, Subcommand>([
  [
    "blame",
    {
      flags: "wlsefntcpb",
      values: "LS",
      optional: "MC",
      long: "porcelain line-porcelain incremental show-name show-number show-email date= root show-stats abbrev= no-textconv reverse first-parent since= color-lines",
    },
  ],
  [
    "branch",
    {
      flags: "arvi",
      listsWith: [...REF_LISTS, "show-current"],
      long: `list all remotes verbose show-current abbrev=? no-abbrev ${REFS}`,
    },
  ],
  ["cat-file", { flags: "ptse" }],
  ["check-attr", { flags: "az", long: "all cached" }],
  ["check-ignore", { flags: "qvnz", long: "quiet verbose non-matching no-index" }],
  [
    "config",
    {
      verbs: ["--get", "--get-all", "--get-regexp", "--list", "-l"],
      flags: "z",
      long: "show-origin show-scope name-only null local global system type= default= includes no-includes",
    },
  ],
  ["count-objects", { flags: "vH", long: "verbose human-readable", operands: 0 }],
  [
    "describe",
    { long: "all tags contains abbrev=? candidates= exact-match long match= exclude= always first-parent" },
  ],
  ["diff", { diffs: true, long: "cached staged merge-base no-index base ours theirs" }],
  ["diff-files", { diffs: true, long: "base ours theirs" }],
  ["diff-index", { diffs: true, flags: "m", long: "cached merge-base" }],
  ["diff-tree", { diffs: true, flags: "rtmcv", long: "root no-commit-id pretty=? format= merge-base cc" }],
  ["for-each-ref", { long: `count= stdin exclude= omit-empty include-root-refs ${REFS}` }],
  [
    "grep",
    {
      flags: "aiIwvhHEGFPnlLzcoqpWr",
      values: "ABCefm",
      count: true,
      long: "cached untracked no-index no-exclude-standard exclude-standard text ignore-case word-regexp invert-match full-name extended-regexp basic-regexp fixed-strings perl-regexp line-number column files-with-matches name-only files-without-match null only-matching count color=? no-color break heading show-function function-context context= after-context= before-context= max-count= max-depth= recursive no-recursive threads= and or not all-match quiet no-textconv",
    },
  ],
  ["log", { diffs: true, logs: true }],
  [
    "ls-files",
    {
      flags: "cdmoikstuvfz",
      values: "xX",
      long: "cached deleted modified others ignored stage unmerged killed directory no-empty-directory eol deduplicate exclude= exclude-from= exclude-standard error-unmatch full-name abbrev=? debug format=",
    },
  ],
  [
    "ls-tree",
    { flags: "drtlz", long: "long name-only name-status object-only full-name full-tree abbrev=? format=" },
  ],
  ["merge-base", { flags: "a", long: "all octopus independent is-ancestor fork-point" }],
  ["name-rev", { long: "tags refs= exclude= all name-only no-undefined always" }],
  ["reflog", { verbs: ["", "show"], diffs: true, logs: true }],
  ["remote", { verbs: ["", "get-url"], flags: "v", long: "verbose push all" }],
  ["rev-list", { diffs: true, logs: true, long: "disk-usage=? header timestamp" }],
  [
    "rev-parse",
    {
      flags: "q",
      long: "verify quiet short=? abbrev-ref=? symbolic symbolic-full-name all branches=? tags=? remotes=? show-toplevel show-prefix show-cdup show-superproject-working-tree git-dir absolute-git-dir git-common-dir git-path= is-inside-git-dir is-inside-work-tree is-bare-repository is-shallow-repository show-object-format=? show-ref-format since= until= not sq revs-only no-revs flags no-flags default= path-format= end-of-options",
    },
  ],
  ["shortlog", { logs: true, flags: "nse", optional: "w", long: "numbered summary email group=" }],
  ["show", { diffs: true, logs: true }],
  [
    "show-branch",
    {
      flags: "arg",
      long: "all remotes current topo-order date-order list independent merge-base sha1-name no-name color=? no-color",
    },
  ],
  [
    "show-ref",
    { flags: "dsq", long: "head heads branches tags dereference hash=? verify abbrev=? quiet exists" },
  ],
  ["stash", { verbs: ["list", "show"], diffs: true, logs: true, long: "include-untracked only-untracked" }],
  [
    "status",
    {
      flags: "sbvz",
      optional: "u",
      long: "short branch show-stash porcelain=? long verbose untracked-files=? ignore-submodules=? ignored=? column=? no-column ahead-behind no-ahead-behind renames no-renames find-renames=?",
    },
  ],
  // Two operands write.
  ["symbolic-ref", { flags: "q", operands: 1, long: "quiet short no-recurse" }],
  ["tag", { flags: "li", optional: "n", listsWith: ["l", ...REF_LISTS], long: `list ${REFS}` }],
  ["version", { long: "build-options", operands: 0 }],
  ["worktree", { verbs: ["list"], flags: "vz", operands: 0, long: "porcelain verbose" }],
]);
