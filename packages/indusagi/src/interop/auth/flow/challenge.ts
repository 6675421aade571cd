/** What a server says when it refuses a token. */
export interface Challenge {
  readonly resourceMetadataUrl?: URL | undefined;
  readonly scope?: string | undefined;
}

/** The challenge in the `WWW-Authenticate` header of an answer. */
export async function challengeOf(response: Response): Promise<Challenge> {
  const { extractWWWAuthenticateParams } = await import("@modelcontextprotocol/client");
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return { resourceMetadataUrl, scope };
}

/** The scopes of several lists, without duplicates. */
export async function unionOfScopes(...scopes: readonly (string | undefined)[]): Promise<string | undefined> {
  const { computeScopeUnion } = await import("@modelcontextprotocol/client");
  return computeScopeUnion(...scopes);
}

/** Whether `scope` has scopes that `than` lacks. */
export async function hasMoreScopes(scope: string, than: string | undefined): Promise<boolean> {
  const { isStrictScopeSuperset } = await import("@modelcontextprotocol/client");
  return isStrictScopeSuperset(scope, than);
}

export interface IssuerLookup {
  readonly serverUrl: URL;
  readonly resourceMetadataUrl: URL | undefined;
  readonly fetch: typeof fetch;
}

/**
 * Whether the server still accepts tokens from this issuer. If it now names other authorization servers, a renewed token would be
 * refused too. True for a server that names none or cannot be asked.
 */
export async function stillIssues(issuer: string, lookup: IssuerLookup): Promise<boolean> {
  const { discoverOAuthProtectedResourceMetadata } = await import("@modelcontextprotocol/client");
  const { serverUrl, resourceMetadataUrl, fetch: fetchFn } = lookup;
  try {
    const { authorization_servers: named = [] } = await discoverOAuthProtectedResourceMetadata(
      serverUrl,
      resourceMetadataUrl ? { resourceMetadataUrl } : {},
      fetchFn,
    );
    return named.length === 0 || named.some((server) => withoutSlash(server) === withoutSlash(issuer));
  } catch {
    return true;
  }
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, "");
}
