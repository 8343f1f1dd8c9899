import { readFile } from "node:fs/promises";
import type { Logger } from "@kintsugi/api";
import { systemClock } from "@kintsugi/clock";
import {
  type AllowsAnonymous,
  anonymousIn,
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
  /** Admits requests without an identity by their path; undefined: the public paths alone. */
  readonly allowsAnonymous: AllowsAnonymous | undefined;
}

/**
 * Reads the configuration of authentication.
 * @throws InvalidFile when the configuration has faults, or an error of the file system.
 */
export async function openAuthentication(config: Config, log: Logger): Promise<Authentication> {
  const settings = await readSettings(config);
  const { file } = config.authentication;
  return {
    jwtAuthenticators:
      settings.length === 0
        ? undefined
        : new JwtAuthenticators({ clock: systemClock, log, documents: createDocumentReader() }, settings),
    allowsAnonymous: file === undefined ? undefined : anonymousIn({ text: await readFile(file, "utf8"), source: file }),
  };
}

async function readSettings({ authentication, serviceAccounts }: Config): Promise<readonly JwtSettings[]> {
  const { file, oidc } = authentication;
  const own = serviceAccounts === undefined ? [] : [serviceAccounts.issuer];
  if (file !== undefined)
    return parseAuthenticationConfiguration({ text: await readFile(file, "utf8"), source: file }, own);
  if (oidc === undefined) return [];
  const { settings, caFile } = oidc;
  if (own.includes(settings.issuer.url))
    throw new Error("--oidc-issuer-url is --service-account-issuer, this server's own");
  if (caFile === undefined) return [settings];
  const ca = await readFile(caFile, "utf8");
  if (!isCertificate(ca)) throw new Error(`--oidc-ca-file: ${caFile} has no certificate`);
  return [{ ...settings, issuer: { ...settings.issuer, ca } }];
}
