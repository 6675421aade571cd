import { dirname, resolve } from "node:path";
import type { Environment } from "../../core/index.ts";
import { definedMembers } from "../../core/internal.ts";
import type {
  ConfigPath,
  ConfigRow,
  ConfigScope,
  ConfigSource,
  LaunchAsWritten,
  ParsedConfig,
  TextReading,
} from "../contract.ts";
import { createReport, quoted, type Report, type Spot, WHOLE_FILE } from "../report.ts";
import { findProfiles } from "./find-profiles.ts";
import { findRows } from "./find-rows.ts";
import { type JsonNode, membersOf, readJsonTree } from "./json-tree.ts";
import { parseRow, type RowContext } from "./parse-row.ts";
import { isRequiredRow } from "./row-options.ts";
import { RowReader } from "./row-reader.ts";
import {
  type EnvFileOptions,
  envFileNames,
  fileEnvironment,
  rowEnvironment,
  type SharedEnvironment,
} from "./variables/env-files.ts";
import type { Variables } from "./variables/variables.ts";

export interface ParseConfigOptions {
  /** Named in diagnostics. Relative paths in rows start at its folder, or at the workspace for a project's file. */
  readonly file?: string;
  /** Default `explicit`. */
  readonly scope?: ConfigScope;
  /** The values of `${NAME}`. Default: this process's environment. */
  readonly env?: Environment;
  /** For `${workspaceFolder}`. */
  readonly workspaceFolder?: string;
  /** For `${userHome}`. */
  readonly userHome?: string;
  /** For `${input:id}`: answers that the caller already has. */
  readonly inputs?: Environment;
  /** Default: this process's platform. */
  readonly platform?: NodeJS.Platform;
  /** Reads the `envFile` of a row. Without it such a row is dropped. */
  readonly readText?: (path: string) => TextReading;
  /** The last good form of a row, used if the row is unusable. Default: such a row is dropped. */
  readonly lastGood?: (id: string) => ConfigRow | undefined;
}

/**
 * Parses the MCP servers of a text: our own two shapes, `mcpServers` of most clients, VS Code's form and opencode's.
 * Never throws. An invalid row is dropped with a diagnostic; a text that is not JSON is dropped as a whole, so a
 * half-written file never yields only some of its rows.
 */
export function parseServerConfig(text: string, options: ParseConfigOptions = {}): ParsedConfig {
  const report = createReport(text, options.file);
  const reading = readJsonTree(text);
  if ("problem" in reading) {
    const spot: Spot = { offset: reading.offset, path: [] };
    if (reading.isBlank) report.warning(spot, 'the file is empty; write { "servers": {} } or remove it');
    else report.error(spot, `the file ${reading.problem}. Nothing in it is used until this is fixed`);
    return unusable(report);
  }
  if (reading.root.type !== "object") {
    report.error(WHOLE_FILE, 'the file does not contain an object; write { "servers": { … } }');
    return unusable(report);
  }
  return { ...parseRows(text, reading.root, { ...options, report }), usable: true };
}

function unusable(report: Report): ParsedConfig {
  const diagnostics = report.diagnostics();
  return { servers: [], profiles: [], dropped: [], missing: [], diagnostics, usable: false };
}

type Parsing = ParseConfigOptions & { readonly report: Report };

function parseRows(text: string, root: JsonNode, options: Parsing): Omit<ParsedConfig, "usable"> {
  const { report } = options;
  const shared = fileEnvironment(root, envFileOptions(options));
  const context = rowContext(options, shared);
  reportInputs(root, options);
  const servers: ConfigRow[] = [];
  const dropped: string[] = [];
  const missing: string[] = [];
  for (const { id, spot, node } of findRows(root, report)) {
    const last = options.lastGood?.(id);
    const row =
      node.type === "object"
        ? new RowReader({ id, spot, node, text, report, hasLastGood: last !== undefined })
        : undefined;
    if (!row) {
      const what = `the row is not an object and ${last ? "its last good form stays in use" : "is dropped"}`;
      report.error(spot, `server ${quoted(id)}: ${what}; write { "command": … }`);
    }
    const parsed = row && parseRow(row, context);
    const source = sourceOf(spot, options);
    if (parsed) servers.push({ config: parsed.config, written: withEnvFile(parsed.written, shared), source });
    else if (last) servers.push({ ...last, source, problem: problemAt(spot, report) });
    else {
      dropped.push(id);
      if (row && isRequiredRow(row)) missing.push(id);
    }
  }
  const profiles = findProfiles(root, report).map(({ spot, ...profile }) => ({
    ...profile,
    source: sourceOf(spot, options),
  }));
  return { servers, profiles, dropped, missing, diagnostics: report.diagnostics() };
}

/** The launch of a row with the file of variables that all rows share, if there is one. */
function withEnvFile(written: LaunchAsWritten, shared: SharedEnvironment | undefined): LaunchAsWritten {
  const envFiles = [...(shared?.path === undefined ? [] : [shared.path]), ...(written.envFiles ?? [])];
  return envFiles.length > 0 ? { ...written, envFiles } : written;
}

/** The first error of a row. It may be missing in a file with very many problems. */
function problemAt({ path }: Spot, report: Report): string {
  const isOfRow = (other: ConfigPath): boolean => path.every((step, at) => other[at] === step);
  const found = report.diagnostics().find((each) => each.severity === "error" && isOfRow(each.path));
  return found?.message ?? "its row cannot be used. Its last good form stays in use";
}

function sourceOf(spot: Spot, { report, file, scope = "explicit" }: Parsing): ConfigSource {
  return definedMembers({ scope, file, ...report.position(spot) });
}

function rowContext(options: Parsing, shared: SharedEnvironment | undefined): RowContext {
  const variables = { ...variablesOf(options), envFile: shared?.variables };
  return {
    variables,
    baseDir: baseDirOf(options),
    envFile: (written, row) => rowEnvironment(written, row, { ...envFileOptions(options), variables }),
    envFileNames: (written, row) => envFileNames(written, row, { ...envFileOptions(options), variables }),
  };
}

function envFileOptions(options: Parsing): EnvFileOptions {
  const { report, readText } = options;
  return { report, variables: variablesOf(options), baseDir: baseDirOf(options), readText };
}

/** Relative paths start at the project for a project's file, and otherwise at the folder of the file, never at the current folder. */
function baseDirOf({ file, scope, workspaceFolder }: ParseConfigOptions): string | undefined {
  if (scope === "project" && workspaceFolder !== undefined) return workspaceFolder;
  return file === undefined ? workspaceFolder : dirname(resolve(file));
}

function variablesOf(options: ParseConfigOptions): Variables {
  const { env = process.env, workspaceFolder, userHome, inputs, platform = process.platform } = options;
  return { env, workspaceFolder, userHome, inputs, platform };
}

function reportInputs(root: JsonNode, { report, inputs }: Parsing): void {
  const member = membersOf(root).find(({ key }) => key === "inputs");
  if (!member || inputs) return;
  report.warning(
    { offset: member.offset, path: ["inputs"] },
    '"inputs" are not supported; use environment variables and ${NAME} in rows that need them',
  );
}
