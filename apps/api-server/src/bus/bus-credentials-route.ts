import { badRequest, serviceUnavailable } from "@kintsugi/api";
import { jsonResponse } from "../http/api-request.ts";
import { parseJson } from "../http/json-body.ts";
import { assertBodySize } from "../http/body.ts";
import type { UserInfo } from "../authorization/authorization.ts";
import type { BuiltInHandler, BuiltInResource } from "../built-in-route.ts";
import { kintsugiGroup, kintsugiVersion } from "../timeline/timeline-route.ts";
import { isJsonObject } from "../json-value.ts";

/** Signs a caller's bus key for the subjects to which the caller may subscribe. */
export interface BusCredentialIssuer {
  /** @throws ApiError when the key is not a bus key. */
  issue(caller: UserInfo, publicKey: string): Promise<{ jwt: string; servers: readonly string[]; cluster: string }>;
}

const kind = "BusCredentials";
const apiVersion = `${kintsugiGroup}/${kintsugiVersion}`;

/**
 * POST /apis/kintsugi.dev/v1alpha1/buscredentials. Roles decide which callers may request
 * credentials, and the caller's identity decides which credentials they get.
 */
export function createBusCredentialsRoute(issuer: BusCredentialIssuer | undefined): BuiltInResource {
  const create: BuiltInHandler = (request, _info, user) => {
    // Clients continue with HTTP watches.
    if (issuer === undefined) throw serviceUnavailable("this cluster has no bus");
    const publicKey = readPublicKey(request.body ?? new Uint8Array());
    return issuer
      .issue(user, publicKey)
      .then((status) => jsonResponse(201, { apiVersion, kind, metadata: {}, spec: { publicKey }, status }));
  };
  return {
    type: { group: kintsugiGroup, version: kintsugiVersion, resource: "buscredentials", namespaced: false },
    verbs: { create },
  };
}

function readPublicKey(bytes: Uint8Array): string {
  assertBodySize(bytes);
  const body = parseJson(bytes);
  const spec = isJsonObject(body) ? body["spec"] : undefined;
  const publicKey = isJsonObject(spec) ? spec["publicKey"] : undefined;
  if (typeof publicKey !== "string" || publicKey === "") throw badRequest("spec.publicKey is required");
  return publicKey;
}
