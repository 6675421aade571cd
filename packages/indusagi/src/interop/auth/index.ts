export { AuthError, type AuthErrorKind } from "./auth-error.ts";
export { type LoginStatus, type LoginStatusOptions, loginStatus } from "./login-status.ts";
export type {
  AssertionRequest,
  LoginInteraction,
  OAuthClient,
  OAuthGrant,
  OAuthProviderOptions,
} from "./oauth-options.ts";
export {
  createOAuthProvider,
  type OAuthProvider,
  oauthProviderFor,
  type RowProviderOptions,
} from "./oauth-provider.ts";
export {
  createFileTokenStore,
  createMemoryTokenStore,
  type FileTokenStoreOptions,
} from "./store/file-token-store.ts";
