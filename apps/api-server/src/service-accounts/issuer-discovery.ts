import type { KeyObject } from "node:crypto";
import type { JsonObject } from "@kintsugi/api";
import { type ApiResponse, textResponse } from "../http/api-request.ts";
import { algorithmOf, keyId, verifyingKeyOf } from "@kintsugi/pki";

// Other services verify tokens of this cluster by two public documents, which OpenID Connect
// Discovery describes (pkg/serviceaccount/openidmetadata.go).

const configurationPath = ".well-known/openid-configuration";
const keysPath = "openid/v1/jwks";

export interface IssuerDocuments {
  /** Each answer by the path without its leading slash. */
  readonly byPath: ReadonlyMap<string, ApiResponse>;
}

export interface Issuer {
  signingKey: KeyObject;
  /** Further keys that verify tokens and are also published. */
  keys: readonly KeyObject[];
  issuer: string;
  /** The host, and the port where it has one, at which other programs reach this server. */
  externalAddress: string | undefined;
  /** Another URL that publishes the keys (`--service-account-jwks-uri`). */
  keysUri: string | undefined;
}

/**
 * Renders both documents once. If the issuer is not an https URL, neither document exists, because
 * relying parties could not find them by the issuer.
 */
export function issuerDocuments({
  signingKey,
  keys,
  issuer,
  externalAddress,
  keysUri,
}: Issuer): IssuerDocuments | undefined {
  if (!isHttpsUrl(issuer)) return undefined;
  const uri = keysUri ?? (externalAddress === undefined ? undefined : `https://${externalAddress}/${keysPath}`);
  if (uri === undefined || !isHttpsUrl(uri)) return undefined;
  const published = new Map([signingKey, ...keys].map((key) => [keyId(verifyingKeyOf(key)), verifyingKeyOf(key)]));
  const algorithms = new Set([...published.values()].map((key) => algorithmOf(key).name));
  const configuration: JsonObject = {
    issuer,
    jwks_uri: uri,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [...algorithms].toSorted(),
  };
  const keySet = { keys: [...published].map(([id, key]) => jsonWebKey(id, key)) };
  return {
    byPath: new Map([
      [configurationPath, document("application/json", configuration)],
      [keysPath, document("application/jwk-set+json", keySet)],
    ]),
  };
}

function jsonWebKey(id: string, key: KeyObject) {
  const { kty, n, e, crv, x, y } = key.export({ format: "jwk" });
  const numbers = kty === "RSA" ? { n, e } : { crv, x, y };
  return { use: "sig", kty, kid: id, alg: algorithmOf(key).name, ...numbers };
}

function document(contentType: string, body: object): ApiResponse {
  const response = textResponse(200, JSON.stringify(body));
  // A relying party may cache the documents for an hour.
  return {
    ...response,
    headers: { ...response.headers, "content-type": contentType, "cache-control": "public, max-age=3600" },
  };
}

function isHttpsUrl(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === "https:";
}
