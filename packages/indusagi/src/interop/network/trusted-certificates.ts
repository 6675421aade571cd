import type { SecureContext } from "node:tls";
import { type Environment, errorCode } from "../../core/index.ts";

/** The authorities to trust. */
export interface TrustedCertificates {
  /** Undefined: those that Node trusts by default. Made once: reading some hundred certificates takes milliseconds. */
  readonly secureContext?: SecureContext;
  /** Why the file was not used. */
  readonly problem?: string;
}

const MAX_BYTES = 16 * 1024 * 1024;

/** True if the environment names authorities that Node does not read by itself. */
export function namesAuthorities({ SSL_CERT_FILE: file, NODE_EXTRA_CA_CERTS: extra }: Environment): boolean {
  return file !== undefined && file !== "" && file !== extra;
}

/**
 * The authorities that Node trusts, and those of `SSL_CERT_FILE`, which Node ignores. A list of our own replaces the one of
 * Node, so it also has to contain those of `NODE_EXTRA_CA_CERTS`.
 */
export async function trustedCertificates(env: Environment): Promise<TrustedCertificates> {
  const { SSL_CERT_FILE: file = "", NODE_EXTRA_CA_CERTS: extraFile } = env;
  if (!namesAuthorities(env)) return {};
  const own = await readPem(file);
  if ("problem" in own) return { problem: `SSL_CERT_FILE is ignored: its file ${own.problem}` };
  const tls = await import("node:tls");
  // Since Node 22.15.
  const { getCACertificates } = tls as { readonly getCACertificates?: () => string[] };
  const extra = extraFile ? await readPem(extraFile) : undefined;
  // Node 20 cannot list all that it trusts. It warns about an unusable NODE_EXTRA_CA_CERTS at its start.
  const ca = getCACertificates?.() ?? [
    ...tls.rootCertificates,
    ...(extra && "text" in extra ? [extra.text] : []),
  ];
  return { secureContext: tls.createSecureContext({ ca: [...ca, own.text] }) };
}

async function readPem(file: string): Promise<{ readonly text: string } | { readonly problem: string }> {
  const { readFile, stat } = await import("node:fs/promises");
  try {
    const stats = await stat(file);
    if (!stats.isFile() || stats.size > MAX_BYTES) return { problem: "is not a file of certificates" };
    const text = await readFile(file, "utf8");
    return /^-----BEGIN (TRUSTED )?CERTIFICATE-----/m.test(text)
      ? { text }
      : { problem: "contains no PEM certificate" };
  } catch (thrown) {
    return { problem: `cannot be read (${errorCode(thrown) ?? "unknown error"})` };
  }
}
