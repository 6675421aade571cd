export { AuthError, type AuthErrorKind } from "./auth-error.ts";
export { type LoginStatus, type LoginStatusOptions, loginStatus } from "./login-status.ts";
export type {
  AssertionRequest,
  LoginInteraction,
  OAuthClient,
  OAuthGrant,
  OAuthProviderOptions,
} from "./oauth-options.ts";
export { createOAuthProvider, type OAuthProvider } from "./oauth-provider.ts";
export { oauthProviderFor, type RowProviderOptions } from "./provider-for-row.ts";
export { createFileTokenStore, type FileTokenStoreOptions } from "./store/file-token-store.ts";
export { createMemoryTokenStore } from "./store/memory-token-store.ts";
