export { type Accounts, readAccounts } from "./accounts.ts";
export { contextWindow } from "./context-window.ts";
export { type ListModelsOptions, listModels, type ModelListing } from "./list-models.ts";
export { ModelError, type ModelErrorKind } from "./model-error.ts";
export { type OpenModelOptions, openModel } from "./open-model.ts";
export { type ResilientOptions, resilientModel } from "./resilient-model.ts";
