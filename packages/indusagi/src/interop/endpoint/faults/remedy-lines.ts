/** A variable name as programs print it: capitals, digits and underscores. */
const VARIABLE = /(?<![A-Za-z0-9_])[A-Z][A-Z0-9_]{2,}(?![A-Za-z0-9_])/g;

/** Names without an underscore are often ordinary words in capitals, so their line must be about a variable. */
const ABOUT_VARIABLES = /\b(env|environment|variables?|export|set|missing|required|undefined|KeyError)\b/i;

/** All names in a line that can be those of variables. */
export function variablesIn(line: string): string[] {
  const isAboutVariables = ABOUT_VARIABLES.test(line);
  return [...line.matchAll(VARIABLE)]
    .map(([name]) => name)
    .filter((name) => name.includes("_") || isAboutVariables);
}

/** Codes of errors, and words that are written in capitals for other reasons. */
const NOT_A_VARIABLE =
  /^(ERR_\w+|UND_ERR_\w+|E[A-Z]{3,}|SIG[A-Z]+|\w*(NOT_FOUND|NOT_SET|_DENIED|_ERROR|_FAILED|_EXCEPTION|INVALID_ARGUMENT|UNAUTHENTICATED)|ERROR|FATAL|CRITICAL|WARN(ING)?|INFO|DEBUG|PANIC|FAILED|NOT|SET|UNSET|MUST|AND|REQUIRED|MISSING|INVALID|NONE|NULL|TODO|NOTE|API|KEY|URL|URI|MCP|HTTP|HTTPS|JSON|YAML|CLI|SDK|AWS|GCP|PAT|SSL|TLS|SQL|LLM|JWT|SSE|SSH|DNS|CLIENT|SERVER|VALUE|ENV|STDIO|OAUTH|REST|UTC|GMT)$/;

/** The variables and command-line options that a line names. */
export function settingsIn(line: string): string[] {
  const options = [...line.matchAll(/(?<![\w-])--[a-z][\w-]{1,40}/g)].map(([option]) => option);
  return [...new Set([...variablesIn(line).filter((name) => !NOT_A_VARIABLE.test(name)), ...options])];
}

/** What log lines begin with: times, levels, names in brackets, marks. */
const PREFIX =
  /^(?:\[[^\]]{0,60}\]:?|\d{4}[-/]\d\d[-/]\d\d[T ]?[\d:.,]*Z?|\d\d:\d\d:\d\d[\d.,]*|(?:ERROR|FATAL|CRITICAL|PANIC|error|fatal|critical)(?: \(\d+\))?[:|\]]|\(\d+\):|[^\w\s[({"'`<]+)\s*/;

function withoutPrefix(text: string): string {
  let rest = text.trim();
  for (let times = 0; times < 6; times++) {
    const next = rest.replace(PREFIX, "");
    if (next === rest || next === "") break;
    rest = next;
  }
  return rest;
}

/** Lines that say that something failed, and not what. */
const GENERIC: readonly RegExp[] = [
  /^(an? )?((uncaught|unhandled|fatal|unexpected|critical|startup|internal|server|application|initiali[sz]ation|promise|mcp)[ -]?){1,4}(exception|error|rejection|failure|crash)( occurred| in main(\(\))?)?$/i,
  /^(uncaughtException|unhandledRejection|error|exception|fatal|failed)$/i,
  /^(error[: ]+)?(failed|unable|could not|cannot) to (start|initiali[sz]e|launch|run|boot)( up)?( the)?( \w+)?( mcp)?( server| application)?$/i,
  /^((the )?(mcp )?(server|process|startup|application|initiali[sz]ation)) (failed|crashed|exited|terminated|stopped)( to start| with (exit )?(code|status) \d+)?$/i,
  /^(now )?(exiting|shutting down|aborting|quitting)( the server| server| now)?( (with|due to|because of)( \w+){1,4})?$/i,
  /^(error: )?(process|server|command) exited with (exit )?(code|status):? \d+$/i,
];

/** With the time, the level and the like before it. */
const MAX_GENERIC_CHARS = 200;

/** Whether a line, such as `Uncaught exception`, says that the program failed but not why. */
export function isGeneric(line: string): boolean {
  if (line.length > MAX_GENERIC_CHARS) return false;
  const text = withoutPrefix(line).replace(/[\s.!:…]+$/, "");
  return GENERIC.some((pattern) => pattern.test(text));
}

const ADVICE =
  /^(?:(?:hint|tip|fix|solution|help|action)\b:?\s*)?(?:to (?:fix|resolve|solve|continue)[^,:]{0,40}[,:]\s*)?(?:please|you (?:must|need to|should|have to)|make sure (?:to|that you)|ensure (?:that )?(?:you )?)?\s*(?:either )?(?:set|provide|specify|export|define|add|configure|pass|supply)\b/i;
/** What is asked for politely needs no name of a variable: `Please run "gcloud auth login"`. */
const REQUEST = /^please (?:run|log ?in|sign in|authenticate|install|start|create)\b/i;
/** Advice about something else than the failure. */
const ASIDE =
  /\b(more (info\w*|details?|output)|verbose|debug(ging)?|details|disable|suppress|silence|optional(ly)?|customi[sz]e|by default)\b/i;

/** Whether a line tells the user what to set or to do, such as `Please set API_KEY`. */
export function isRemedy(line: string): boolean {
  const text = withoutPrefix(line);
  if (ASIDE.test(text)) return false;
  return REQUEST.test(text) || (ADVICE.test(text) && (settingsIn(text).length > 0 || text.endsWith(":")));
}

const MISSING =
  /\b(missing|required?|requires|needs?|must|please|unset|undefined|empty|absent|KeyError|export|set|provide|specify|define|configure|Expected \w+, received undefined|(not|n't|never|nor|no) (been )?(set|found|defined|provided|configured|specified|given|present|supplied|available)|no \w+ (key|token))\b/i;
const HARMLESS =
  /\b(warn(ing)?|optional(ly)?|default(s|ing)?|fall(ing|s)? ?back|ignor(ed|ing)|skipp(ed|ing)|disabled|unavailable|limited|some (tools|features)|will not|won't)\b/i;

/** The variables that a line says are missing, without options. */
export function missingVariables(line: string): string[] {
  if (!MISSING.test(line) || HARMLESS.test(line) || ASIDE.test(line)) return [];
  return settingsIn(line).filter((name) => !name.startsWith("--"));
}
