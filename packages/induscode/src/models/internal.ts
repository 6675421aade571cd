// For the rooms of this package only.
export { readAccounts } from "./accounts.ts";
export { PROVIDERS } from "./providers/provider-table.ts";
