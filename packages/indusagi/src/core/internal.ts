export { REDACTED, Redactor, redactText, SECRET_OPTION, secretValues } from "./redact/index.ts";
export { createBoundedPatterns, type MatchPattern } from "./regex/bounded-patterns.ts";
export { type LinearProgram, linearProgram } from "./regex/linear-program.ts";
export { type CompileLinear, loadLinearRegex } from "./regex/linear-regex.ts";
export { onStreamEnd } from "./signals/on-stream-end.ts";
export { clampText } from "./text/clamp-text.ts";
export { magicFormat } from "./text/magic-bytes.ts";
export { wholeCharactersEnd, wholeCharactersStart } from "./text/utf8-edges.ts";
export { PACKAGE_VERSION } from "./version.ts";
