export { REDACTED } from "./known-secrets.ts";
export { redactText } from "./redact-text.ts";
export { Redactor } from "./redactor.ts";
export { SECRET_OPTION, secretValues } from "./secret-values.ts";
