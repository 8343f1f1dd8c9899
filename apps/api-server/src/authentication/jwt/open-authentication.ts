import { readFile } from "node:fs/promises";
import type { Logger } from "@kintsugi/api";
import { systemClock } from "@kintsugi/clock";
import {
  type AllowsAnonymous,
  isCertificate,
  parseAuthenticationConfiguration,
} from "./authentication-configuration.ts";
import { createDocumentReader } from "./document-https-reader.ts";
import { JwtAuthenticators } from "./jwt-authenticators.ts";
import type { JwtSettings } from "./jwt-settings.ts";
import type { AuthenticationConfig } from "./oidc-flags.ts";

interface Config {
  readonly authentication: AuthenticationConfig;
  readonly serviceAccounts: { readonly issuer: string } | undefined;
}

interface Authentication {
  /** The issuers whose tokens identify users; undefined where none is configured. */
  readonly jwtAuthenticators: JwtAuthenticators | undefined;
  /**
   * Decides by path whether anonymous requests are admitted. Undefined: they are admitted only to
   * the public paths.
   */
  readonly allowsAnonymous: AllowsAnonymous | undefined;
}

/**
 * Reads the configuration of authentication.
 * @throws InvalidFile when the configuration has faults, or an error of the file system.
 */
export async function openAuthentication(config: Config, log: Logger): Promise<Authentication> {
  const { issuers, allowsAnonymous } = await readSettings(config);
  return {
    jwtAuthenticators:
      issuers.length === 0
        ? undefined
        : new JwtAuthenticators({ clock: systemClock, log, documents: createDocumentReader() }, issuers),
    allowsAnonymous,
  };
}

interface Settings {
  readonly issuers: readonly JwtSettings[];
  readonly allowsAnonymous?: AllowsAnonymous | undefined;
}

async function readSettings({ authentication, serviceAccounts }: Config): Promise<Settings> {
  const { file, oidc } = authentication;
  const own = serviceAccounts === undefined ? [] : [serviceAccounts.issuer];
  if (file !== undefined)
    return parseAuthenticationConfiguration({ text: await readFile(file, "utf8"), source: file }, own);
  if (oidc === undefined) return { issuers: [] };
  const { settings, caFile } = oidc;
  if (own.includes(settings.issuer.url))
    throw new Error("--oidc-issuer-url is --service-account-issuer, this server's own");
  if (caFile === undefined) return { issuers: [settings] };
  const ca = await readFile(caFile, "utf8");
  if (!isCertificate(ca)) throw new Error(`--oidc-ca-file: ${caFile} has no certificate`);
  return { issuers: [{ ...settings, issuer: { ...settings.issuer, ca } }] };
}
