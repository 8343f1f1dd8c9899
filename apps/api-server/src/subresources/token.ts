import {
  badRequest,
  conflict,
  describeSchema,
  collectFaults,
  formatTimestamp,
  invalid,
  notFound,
  nodes,
  type Pod,
  pods,
  secrets,
  serviceAccounts,
  setTokenRequestDefaults,
  TokenRequest,
  tokenRequest,
  validateTokenRequest,
} from "@kintsugi/api";
import type { Entry } from "@kintsugi/store";
import { requestedBy } from "../admission/requested-by.ts";
import type { AdmissionRequest } from "../admission/admission.ts";
import type { ApiResponse } from "../http/api-request.ts";
import { decodeLeft } from "../request/decode-left.ts";
import { readPosted } from "../request/posted-object.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import { readWriteOptions } from "../request/write-options.ts";
import { decodeEntry } from "../resources/encoding.ts";
import { storeKey } from "../resources/keys.ts";
import type { ServerContext } from "../server-context.ts";
import { postedResponse } from "../reviews/posted-response.ts";
import type { ServiceAccountTokens, TokenSubject } from "../service-accounts/service-account-tokens.ts";
import { admitRequest } from "../writes/commit-admitted.ts";

const decodable = { type: tokenRequest, schema: TokenRequest, description: describeSchema(TokenRequest) };

/**
 * POST serviceaccounts/{name}/token: a token for the account, bound to one object and valid until
 * the object is deleted. Nothing is stored.
 */
export function createToken(
  context: ServerContext,
  call: ResourceCall,
  tokens: ServiceAccountTokens,
): ApiResponse | Promise<ApiResponse> {
  const { namespace, name } = call.info;
  const options = readWriteOptions(call.request, call.info);
  const decoded = readPosted(context, call, { decodable, options });
  getAccount(context, { namespace, name });
  const request = completed(decoded, { namespace, name });
  const admitted = admitRequest(context, call, {
    request: {
      operation: "create",
      ...requestedBy(call),
      resource: call.resource,
      subresource: "token",
      namespace,
      name,
      object: request,
      before: undefined,
      dryRun: options.dryRun,
      reader: context.store,
    },
    adopt: (left) => completed(decodeLeft(left, decodable), { namespace, name }),
  });
  const answer = ({ object }: AdmissionRequest) =>
    issueToken(context, call, { tokens, request: object as TokenRequest });
  return admitted instanceof Promise ? admitted.then(answer) : answer(admitted);
}

/** @throws ApiError NotFound */
function getAccount({ store }: ServerContext, { namespace, name }: { namespace: string; name: string }): Entry {
  const entry = store.find(storeKey(serviceAccounts, namespace, name));
  if (entry === undefined) throw notFound(serviceAccounts, name);
  return entry;
}

function issueToken(
  context: ServerContext,
  { info, warnings, form }: ResourceCall,
  { tokens, request }: { tokens: ServiceAccountTokens; request: TokenRequest },
): ApiResponse {
  const { namespace, name } = info;
  // The account may have been deleted or created again while the request waited.
  const entry = getAccount(context, info);
  const subject = subjectOf(context, request, {
    namespace,
    serviceAccount: { name, uid: entry.index.uid },
  });
  const { audiences = [] } = request.spec ?? {};
  const seconds = grantedSeconds(request.spec?.expirationSeconds ?? 0, context.options.tokenLifeMaxMs, warnings);
  const wanted = { audiences: audiences.length > 0 ? audiences : tokens.audiences, seconds };
  const issuedAtMs = Math.floor(context.clock.nowMs() / 1000) * 1000;
  const status = {
    token: tokens.issue(subject, wanted),
    expirationTimestamp: formatTimestamp(issuedAtMs + seconds * 1000),
  };
  const spec = { ...request.spec, audiences: wanted.audiences, expirationSeconds: seconds };
  return postedResponse({ ...request, spec, status }, form);
}

/**
 * A stolen token is valid until it expires, so a requested duration beyond the limit is reduced,
 * with a warning in the answer.
 */
function grantedSeconds(asked: number, runMaxMs: number, warnings: string[]): number {
  const secondsMax = Math.floor(runMaxMs / 1000);
  if (runMaxMs === 0 || asked <= secondsMax) return asked;
  warnings.push(`requested expiration of ${asked} seconds shortened to ${secondsMax} seconds`);
  return secondsMax;
}

function completed(request: TokenRequest, account: { namespace: string; name: string }): TokenRequest {
  const { metadata } = request;
  if ((metadata.name ?? account.name) !== account.name) {
    throw badRequest("must match the service account name if specified");
  }
  if ((metadata.namespace ?? account.namespace) !== account.namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  setTokenRequestDefaults(request);
  const issues = collectFaults((faults) => validateTokenRequest(request, faults));
  if (issues.length > 0) throw invalid(tokenRequest, "", issues);
  return { ...request, metadata: { ...metadata, ...account } };
}

const kinds = { Pod: pods, Secret: secrets, Node: nodes } as const;

/**
 * @throws ApiError when the object to which the token would be bound does not exist, has another
 * UID, or does not belong to the account.
 */
function subjectOf(
  context: ServerContext,
  { spec }: TokenRequest,
  account: Pick<TokenSubject, "namespace" | "serviceAccount">,
): TokenSubject {
  const { kind = "", apiVersion = "", name = "", uid = "" } = spec?.boundObjectRef ?? {};
  if (spec?.boundObjectRef === undefined) return account;
  const boundType = apiVersion === "v1" ? kinds[kind as keyof typeof kinds] : undefined;
  if (boundType === undefined) {
    throw badRequest(`cannot bind token to object of type ${apiVersion}, Kind=${kind}`);
  }
  const entry = context.store.find(storeKey(boundType, boundType.namespaced ? account.namespace : "", name));
  if (entry === undefined) throw notFound(boundType, name);
  const bound = { name, uid: entry.index.uid };
  if (uid !== "" && uid !== bound.uid) {
    const because = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict(boundType, name, because);
  }
  if (kind === "Secret") return { ...account, secret: bound };
  if (kind === "Node") return { ...account, node: bound };
  const { spec: podSpec } = decodeEntry(entry) as Pod;
  if (podSpec?.serviceAccountName !== account.serviceAccount.name) {
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(account.serviceAccount.name)} to pod running with different serviceaccount name.`,
    );
  }
  const { nodeName = "" } = podSpec;
  const node = nodeName === "" ? undefined : context.store.find(storeKey(nodes, "", nodeName));
  return { ...account, pod: bound, ...(node ? { node: { name: nodeName, uid: node.index.uid } } : {}) };
}
