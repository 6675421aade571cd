export type { DialectName, LossReason, SchemaLoss, SchemaProjection } from "./dialect.ts";
export { projectName } from "./project-name.ts";
export { projectSchema } from "./project-schema.ts";
export { SCHEMA_BUDGET, schemaBudgetProblem } from "./walk/schema-budget.ts";
