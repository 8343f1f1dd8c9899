import { isIP } from "node:net";
import { formatMicroTime, type JsonObject } from "@kintsugi/api";
import type { UserInfo } from "../authorization/authorization.ts";
import type { ApiRequest } from "../http/api-request.ts";
import type { RequestInfo } from "../request/request-info.ts";
import type { AuditLevel, AuditStage } from "./audit-policy.ts";

/** One event, in the form of `audit.k8s.io/v1`; times are in milliseconds. */
export interface AuditEvent {
  readonly level: AuditLevel;
  readonly auditId: string;
  readonly stage: AuditStage;
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  readonly user: UserInfo | undefined;
  readonly impersonated: UserInfo | undefined;
  /** The object's identity as the body of the request states it. */
  readonly named: NamedObject;
  readonly responseStatus: JsonObject | undefined;
  /** JSON texts, because they are made or received as strings. */
  readonly requestObject: string | undefined;
  readonly responseObject: string | undefined;
  readonly receivedMs: number;
  readonly stageMs: number;
  readonly annotations: ReadonlyMap<string, string>;
}

export interface NamedObject {
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** Upstream's limit; a header may have 256 KiB here. */
const userAgentLengthMax = 1024;

/** Writes an event as one line, its fields in upstream's order. */
export function formatAuditEvent(event: AuditEvent): string {
  const { request, info, user, impersonated } = event;
  const agent = request.headers["user-agent"];
  const addresses = sourceAddresses(request);
  const fields: [string, string | undefined][] = [
    ["kind", '"Event"'],
    ["apiVersion", '"audit.k8s.io/v1"'],
    ["level", JSON.stringify(event.level)],
    ["auditID", JSON.stringify(event.auditId)],
    ["stage", JSON.stringify(event.stage)],
    ["requestURI", JSON.stringify(request.path)],
    ["verb", JSON.stringify(info.verb)],
    ["user", JSON.stringify(userOf(user))],
    ["impersonatedUser", impersonated && JSON.stringify(userOf(impersonated))],
    ["sourceIPs", addresses.length === 0 ? undefined : JSON.stringify(addresses)],
    ["userAgent", agent === undefined ? undefined : JSON.stringify(cut(agent))],
    ["objectRef", info.isResource ? JSON.stringify(referenceOf(event)) : undefined],
    ["responseStatus", event.responseStatus && JSON.stringify(event.responseStatus)],
    ["requestObject", event.requestObject],
    ["responseObject", event.responseObject],
    ["requestReceivedTimestamp", JSON.stringify(formatMicroTime(event.receivedMs))],
    ["stageTimestamp", JSON.stringify(formatMicroTime(event.stageMs))],
    ["annotations", annotationsText(event.annotations)],
  ];
  const written = fields.flatMap(([name, text]) => (text === undefined ? [] : [`"${name}":${text}`]));
  return `{${written.join(",")}}\n`;
}

function cut(agent: string): string {
  return agent.length <= userAgentLengthMax ? agent : `${agent.slice(0, userAgentLengthMax)}...TRUNCATED`;
}

function userOf(user: UserInfo | undefined): JsonObject {
  if (user === undefined) return {};
  return {
    username: user.name,
    ...(user.uid === undefined ? {} : { uid: user.uid }),
    groups: [...user.groups],
    ...(user.extra === undefined ? {} : { extra: user.extra as unknown as JsonObject }),
  };
}

function referenceOf({ info, named }: AuditEvent): JsonObject {
  const known = (field: string, text: string | undefined) =>
    text === undefined || text === "" ? {} : { [field]: text };
  return {
    ...known("resource", info.resource),
    ...known("namespace", info.namespace || named.namespace),
    ...known("name", info.name || named.name),
    ...known("uid", named.uid),
    ...known("apiGroup", info.group),
    ...known("apiVersion", info.version),
    ...known("resourceVersion", named.resourceVersion),
    ...known("subresource", info.subresource),
  };
}

/** Limit of the addresses that one request may claim, because each is stored in every event. */
const addressesMax = 16;

/**
 * The addresses that the request claims to have passed, followed by the address of the connection.
 * Only the last address is certain.
 */
function sourceAddresses({ headers, remoteAddress }: ApiRequest): string[] {
  const claimed = (headers["x-forwarded-for"] ?? "").split(",", addressesMax).map((text) => text.trim());
  const addresses = claimed.filter((text) => isIP(text) > 0);
  const real = headers["x-real-ip"]?.trim() ?? "";
  if (isIP(real) > 0 && !addresses.includes(real)) addresses.push(real);
  const remote = remoteAddress?.replace(/^::ffff:(?=\d+\.)/, "");
  if (remote !== undefined && addresses.at(-1) !== remote) addresses.push(remote);
  return addresses;
}

function annotationsText(annotations: ReadonlyMap<string, string>): string | undefined {
  return annotations.size === 0 ? undefined : JSON.stringify(Object.fromEntries(annotations));
}

/** The message of an event about a caller who could not be identified, in upstream's words. */
export function failedAuthentication({ headers, identity }: ApiRequest): string {
  const [scheme = "", credentials] = (headers["authorization"] ?? "").trim().split(" ");
  const tried = [
    ...(credentials !== undefined && /^(basic|bearer)$/i.test(scheme) ? [scheme.toLowerCase()] : []),
    ...(identity === undefined ? [] : ["x509"]),
  ];
  return tried.length === 0
    ? "Authentication failed, no credentials provided"
    : `Authentication failed, attempted: ${tried.join(",")}`;
}
