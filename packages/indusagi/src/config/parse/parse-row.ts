import type { Environment } from "../../core/index.ts";
import { definedMembers } from "../../core/internal.ts";
import type { ServerConfig } from "../../interop/contract/index.ts";
import type { LaunchAsWritten } from "../contract.ts";
import { quoted } from "../report.ts";
import type { JsonMember } from "./json-tree.ts";
import { oauthMember } from "./oauth-member.ts";
import { launchFromOpencodeSyntax } from "./opencode-row.ts";
import { type LaunchOptions, readHttpLaunch, readStdioLaunch, type WrittenCommand } from "./row-launch.ts";
import { coveredMembers, warnUnknownMembers } from "./row-members.ts";
import { isDisabled, rowOptions } from "./row-options.ts";
import type { RowReader, WrittenText } from "./row-reader.ts";
import type { VariableValue } from "./variables/expand-variables.ts";
import { lookupVariable, type Variables } from "./variables/variables.ts";

export interface RowContext {
  readonly variables: Variables;
  /** Reads the `envFile` of a row and reports its problems. */
  readonly envFile: (written: WrittenText, row: RowReader) => Environment | undefined;
  /** The names in the `envFile` of a row that is not started. Reports nothing; empty if the file cannot be read. */
  readonly envFileNames: (written: WrittenText, row: RowReader) => readonly string[];
  readonly baseDir?: string | undefined;
}

/** The configuration of a row. */
interface RowResult {
  readonly config: ServerConfig;
  readonly written: LaunchAsWritten;
}

/** Parses one row. Reports the problems and returns undefined if it is invalid. */
export function parseRow(row: RowReader, context: RowContext): RowResult | undefined {
  warnUnknownMembers(row, row.members());
  const enabled = !isDisabled(row);
  const transport = transportOf(row);
  const options = rowOptions(row);
  const envFileText = row.text(row.member("envFile"));
  if (!transport || row.isRefused) return undefined;

  const envFile = enabled && envFileText ? context.envFile(envFileText, row) : undefined;
  const launchOptions: LaunchOptions = {
    envFile,
    baseDir: context.baseDir,
    // A server that is not started needs no variables.
    lookup: enabled ? withEnvFile(context.variables, envFile) : undefined,
  };
  const common = definedMembers({ id: row.id, ...options, enabled: enabled ? undefined : false });
  const names = envFile ? Object.keys(envFile) : envFileText ? context.envFileNames(envFileText, row) : [];
  const members = coveredMembers(row);
  const asWritten = (launch: LaunchAsWritten): LaunchAsWritten => {
    const whole = definedMembers({ ...launch, envFiles: envFileText && [envFileText.text] });
    return definedMembers({
      ...(row.isOpencode ? launchFromOpencodeSyntax(whole) : whole),
      envFileNames: names.length > 0 ? names.toSorted() : undefined,
      members,
      pin: options.pin === "off" || options.pin === "warn" ? options.pin : undefined,
    });
  };
  if (transport.kind === "stdio") {
    warnUnused(row, row.member("oauth"));
    const { reached, written } = readStdioLaunch(row, transport.command, launchOptions);
    const isForUser = options.share === "user";
    if (isForUser) checkUserShare(row, asWritten(written), context.variables);
    if (row.isRefused) return undefined;
    // Never in a folder of a client: what lies there must not serve the others.
    const place = isForUser ? definedMembers({ cwd: context.variables.userHome }) : {};
    return { config: { kind: "stdio", ...common, ...reached, ...place }, written: asWritten(written) };
  }
  const { reached, written } = readHttpLaunch(row, transport.url, launchOptions);
  const oauth = oauthMember(row, launchOptions);
  if (row.isRefused) return undefined;
  return {
    config: definedMembers({
      kind: transport.kind,
      ...common,
      ...reached,
      onMismatch: transport.isPinned ? ("fail" as const) : undefined,
      oauth: oauth?.reached,
    }),
    written: asWritten(definedMembers({ ...written, oauth: oauth?.written })),
  };
}

function checkUserShare(row: RowReader, written: LaunchAsWritten, { userHome }: Variables): void {
  const member = row.member("share");
  const problem = userHome === undefined ? "there is no home folder" : userShareProblem(written);
  if (!member || problem === undefined) return;
  row.refuse(
    row.spotOf(member),
    `"share": "user" runs it in your home folder for all folders, but ${problem}; use "fleet", or write what is the same everywhere`,
  );
}

function warnUnused(row: RowReader, member: JsonMember | undefined): void {
  if (!member) return;
  row.warn(row.spotOf(member), `${quoted(member.key)} has no effect for a process; remove it`);
}

type Transport =
  | { readonly kind: "stdio"; readonly command: WrittenCommand }
  | { readonly kind: "sse" | "streamable-http"; readonly url: WrittenText; readonly isPinned: boolean };

/** Names of transports, ours and those of other clients. `remote` may be either HTTP transport. */
const TYPES: { readonly [type: string]: Transport["kind"] } = {
  stdio: "stdio",
  local: "stdio",
  sse: "sse",
  remote: "streamable-http",
  http: "streamable-http",
  "streamable-http": "streamable-http",
  streamableHttp: "streamable-http",
  streamable_http: "streamable-http",
};

/** `type` decides; without it a `url` has precedence over a `command`. */
function transportOf(row: RowReader): Transport | undefined {
  const type = row.member("type");
  const word: unknown = type?.value.value;
  const pinned = typeof word === "string" && Object.hasOwn(TYPES, word) ? TYPES[word] : undefined;
  if (type && !pinned) {
    row.refuse(row.spotOf(type), `"type" must be one of stdio, http, sse`);
    return undefined;
  }
  const urlMember = row.member("url", "serverUrl", "httpUrl");
  const commandMember = row.member("command");
  const kind = pinned ?? (urlMember ? "streamable-http" : "stdio");
  const unused = kind === "stdio" ? urlMember : commandMember;
  if (unused && urlMember && commandMember) {
    const used = kind === "stdio" ? "command" : "url";
    row.warn(
      row.spotOf(unused),
      `${quoted(unused.key)} is not used because ${quoted(used)} has precedence; remove one of them`,
    );
  }
  if (kind === "stdio") {
    const command = commandOf(row, commandMember);
    if (command) return { kind, command };
    if (!commandMember) row.refuse(row.spot, missing(type !== undefined, "command"));
    return undefined;
  }
  const url = row.text(urlMember);
  if (url) return { kind, url, isPinned: pinned !== undefined && word !== "remote" };
  if (!urlMember) row.refuse(row.spot, missing(true, "url"));
  return undefined;
}

/** A program, or as in opencode a list of a program and its arguments. */
function commandOf(row: RowReader, member: JsonMember | undefined): WrittenCommand | undefined {
  if (member?.value.type !== "array" || !row.isOpencode) {
    const program = row.text(member);
    return program && [program];
  }
  const [program, ...args] = row.texts(member) ?? [];
  // An item that is not a string was left out, so the first one left may be an argument.
  if (program && member.value.children?.[0]?.type === "string") return [program, ...args];
  row.refuse(row.spotOf(member), '"command" does not begin with a program; write ["program", "argument"]');
  return undefined;
}

function missing(isPinned: boolean, member: string): string {
  if (!isPinned) return 'it has neither "command" nor "url"; add one of them';
  return `it has no ${quoted(member)}, which its "type" needs; add it or change the type`;
}

function withEnvFile(variables: Variables, own: Environment | undefined): (name: string) => VariableValue {
  const all = own ? { ...variables, envFile: { ...variables.envFile, ...own } } : variables;
  return (name) => lookupVariable(name, all);
}

/** What each folder, or each editor, replaces with something else. */
const WORKSPACE =
  /\$\{(?:workspace\w*|cwd|fileWorkspaceFolder|CLAUDE_PROJECT_DIR|(?:env:)?(?:PWD|INIT_CWD))\b/i;
/** A path that begins at the current folder, as a word or as the value of a flag. */
const RELATIVE_WORD = /(?:^|=)\.{1,2}(?:[\\/]|$)/;
const RELATIVE_PROGRAM = /^(?![\\/~]|[A-Za-z]:[\\/]|\$\{).*[\\/]/;

/**
 * Why a row cannot have `"share": "user"`, as the end of a sentence. Such a server runs in the home folder for all folders, so nothing
 * of its launch may depend on one. Undefined if nothing does.
 */
function userShareProblem({
  command,
  args = [],
  cwd,
  env = {},
  envFiles = [],
  url,
}: LaunchAsWritten): string | undefined {
  const texts = [command ?? "", ...args, ...Object.values(env), url ?? ""];
  const variable = texts.map((text) => WORKSPACE.exec(text)?.[0]).find((found) => found !== undefined);
  if (cwd !== undefined) return 'it has a "cwd"';
  if (variable !== undefined) return `it uses ${variable}}, which differs between folders`;
  const relative = [
    ...(command !== undefined && RELATIVE_PROGRAM.test(command) ? [command] : []),
    ...args.filter((word) => RELATIVE_WORD.test(word)),
    ...envFiles.filter((file) => !/^(?:[\\/~]|[A-Za-z]:[\\/]|\$\{userHome\})/.test(file)),
  ];
  return relative.length > 0 ? `${JSON.stringify(relative[0])} is a relative path` : undefined;
}
