import { badRequest, type KindVerb, methodNotSupported, type ResourceType } from "@kintsugi/api";
import { encodedAnswer } from "./answers/encoded-answer.ts";
import type { AggregatedRoute } from "./aggregation/aggregated-route.ts";
import type { Answer, BuiltInResource, PathRoute } from "./built-in-route.ts";
import type { Routes } from "./handler/stages/stage.ts";
import type { ApiRequest, ApiResponse } from "./http/api-request.ts";
import { encodingOf, negotiate, type ResponseForm } from "./http/negotiate.ts";
import { methodNotAllowed, pathNotFound } from "./http/refusals.ts";
import type { UserInfo } from "./authorization/authorization.ts";
import type { ResourceCall } from "./request/resource-call.ts";
import type { RequestInfo } from "./request/request-info.ts";
import type { Resource } from "./resources/resource.ts";
import type { ServerContext } from "./server-context.ts";
import { hasTable, type Subresource, subresourceHandler, type Verb } from "./subresources/subresource-table.ts";
import { awaitState } from "./verbs/await-state.ts";
import { create } from "./verbs/create.ts";
import { deleteObject } from "./verbs/delete.ts";
import { deleteCollection } from "./verbs/delete-collection.ts";
import { get } from "./verbs/get.ts";
import { list } from "./verbs/list.ts";
import { withNodeRevisions } from "./watch/node-lease-header.ts";
import { patch } from "./verbs/patch.ts";
import { update } from "./verbs/update.ts";
import { watch } from "./verbs/watch.ts";

const verbs: Readonly<Record<KindVerb, Verb>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: deleteObject,
  deletecollection: deleteCollection,
};

export interface RouteDeps {
  context: ServerContext;
  subresources: readonly Subresource[];
  builtIn: BuiltInRoutes;
  /** Forwards the requests that other servers answer. */
  aggregated: AggregatedRoute;
}

/** All resources and paths that are answered without storage. */
export interface BuiltInRoutes {
  resources: readonly BuiltInResource[];
  paths: readonly PathRoute[];
}

export function createRoutes(deps: RouteDeps): Routes {
  const { context, builtIn } = deps;
  const subresources = new Map(deps.subresources.map((subresource) => [subresource.name, subresource]));
  const builtInByPath = new Map(builtIn.resources.map((resource) => [resourcePath(resource.type), resource]));
  return (request, info, user) => {
    const passedOn = deps.aggregated(request, info, user);
    if (passedOn !== undefined) return passedOn;
    if (info.rest.length > 0) throw pathNotFound();
    if (!info.isResource) return answerPath(builtIn.paths, { request, info, user });
    const resource = context.registry.find(info.group, info.version, info.resource);
    if (resource !== undefined) return answerResource(context, subresources, { request, info, user, resource });
    const found = builtInByPath.get(resourcePath(info));
    if (found === undefined) throw pathNotFound();
    return answerBuiltIn(context, found, { request, info, user });
  };
}

function resourcePath({ group, version, resource }: Pick<ResourceType, "group" | "version" | "resource">): string {
  return `${group}/${version}/${resource}`;
}

function answerPath(paths: readonly PathRoute[], { request, info, user }: Authorized): Answer {
  for (const route of paths) {
    const answer = route(request, info, user);
    if (answer !== undefined) return answer;
  }
  throw pathNotFound();
}

function answerBuiltIn(context: ServerContext, { type, verbs: own }: BuiltInResource, authorized: Authorized): Answer {
  const { request, info, user } = authorized;
  checkScope(type, info);
  if (info.subresource !== "") throw pathNotFound();
  const handler = Object.hasOwn(own, info.verb) ? own[info.verb] : undefined;
  // A HEAD is authorized like the GET that it represents, but does not read objects here.
  if (handler === undefined || info.method === "HEAD" || isMisplaced(info)) throw methodNotAllowed();
  const answer = handler(request, info, user);
  const { posted, all } = context.encodings.offers;
  const encoding = encodingOf(request.headers["accept"], info.verb === "create" ? posted : all);
  if (encoding === undefined) return answer;
  const { describe } = context.registry;
  return answer instanceof Promise
    ? answer.then((response) => encodedAnswer(response, encoding, describe))
    : encodedAnswer(answer, encoding, describe);
}

interface Authorized {
  request: ApiRequest;
  info: RequestInfo;
  user: UserInfo;
}

interface Routed extends Authorized {
  resource: Resource;
}

function answerResource(
  context: ServerContext,
  subresources: ReadonlyMap<string, Subresource>,
  routed: Routed,
): Answer {
  const { request, user, resource } = routed;
  checkScope(resource.type, routed.info);
  // A Namespace is cluster-scoped, although it is authorized in the namespace of its name.
  const isNamespace = resource.kind.exceptions.isNamespace === true;
  const info = isNamespace ? { ...routed.info, namespace: "" } : routed.info;
  // A proxied server and its client negotiate the form of an answer themselves.
  const form: ResponseForm =
    info.behindProxy === undefined
      ? withTableOptions(negotiate(request.headers["accept"], offerOf(context, resource, info)), info)
      : { as: "object" };
  const { deprecation } = resource.kind.strategy;
  const warnings = deprecation === undefined ? [] : [deprecation];
  const deadlineMs = context.clock.monotonicMs() + context.options.requestTimeoutMs;
  const call: ResourceCall = { request, info, user, resource, form, warnings, deadlineMs };
  const verb = info.subresource === "" ? ownHandler(call) : subresourceHandler(subresources, call);
  const settled = awaitState(context, info);
  const answer = settled === undefined ? verb(context, call) : settled.then(() => verb(context, call));
  const finish = (response: ApiResponse) => {
    const encoded = encodedAnswer(response, form.encoding, context.registry.describe);
    return withNodeRevisions(context, call, withWarnings(encoded, call));
  };
  return answer instanceof Promise ? answer.then(finish) : finish(answer);
}

function offerOf({ encodings: { offers } }: ServerContext, { kind }: Resource, info: RequestInfo) {
  if (!hasTable(info)) return offers.posted;
  // A Scale is the same type for every kind.
  return kind.exceptions.schemaIsData === true && info.subresource !== "scale" ? offers.custom : offers.all;
}

/** The handler of a verb on the objects themselves. @throws ApiError MethodNotAllowed */
function ownHandler({ info, resource }: ResourceCall): Verb {
  const { verb } = info;
  if (!Object.hasOwn(verbs, verb) || isMisplaced(info)) throw methodNotAllowed();
  const known = verb as KindVerb;
  if (!resource.kind.verbs.includes(known)) throw methodNotSupported(resource.type, known);
  return verbs[known];
}

/**
 * Rejects a method that its path does not support. A collection supports creates but not replaces
 * or patches, and an object supports replaces and patches but not a create at its own path.
 */
function isMisplaced({ verb, name, subresource }: RequestInfo): boolean {
  if (subresource !== "") return false;
  if (verb === "create") return name !== "";
  return (verb === "update" || verb === "patch") && name === "";
}

/**
 * A resource has one scope, stored or not. Namespaced resources are below a namespace and
 * cluster-scoped resources are not, and a caller who was authorized in a namespace cannot reach
 * objects outside it. All namespaces together can only be read.
 */
function checkScope(type: Pick<ResourceType, "namespaced">, info: RequestInfo): void {
  if (!type.namespaced && info.isBelowNamespace) throw pathNotFound();
  if (!type.namespaced || info.isBelowNamespace || info.verb === "list" || info.verb === "watch") return;
  if (info.name !== "") throw pathNotFound();
  throw info.verb === "create" ? badRequest("an empty namespace may not be set during creation") : methodNotAllowed();
}

function withTableOptions(form: ResponseForm, info: RequestInfo): ResponseForm {
  if (form.as !== "Table") return form;
  const include = info.query.get("includeObject");
  if (include === null || include === "" || include === "Metadata") return form;
  if (include === "None" || include === "Object") return { ...form, include };
  throw badRequest(
    `includeObject: Unsupported value: ${JSON.stringify(include)}: supported values: "Metadata", "None", "Object"`,
  );
}

/** Upstream's limits of a single warning, and of all warnings of an answer. */
const [warningLengthMax, warningsLengthMax] = [256, 4 * 1024] as const;

/**
 * Several warnings share one header, and each is quoted as by upstream's NewWarningHeader. If the
 * warnings exceed the limit, each warning is cut, and warnings that still do not fit are omitted
 * (AddWarning of apiserver/pkg/endpoints/filters).
 */
function withWarnings(response: ApiResponse, call: ResourceCall): ApiResponse {
  if (call.warnings.length === 0) return response;
  const total = call.warnings.reduce((sum, text) => sum + text.length, 0);
  const lengthMax = total > warningsLengthMax ? warningLengthMax : warningsLengthMax;
  const texts: string[] = [];
  let left: number = warningsLengthMax;
  for (const warning of call.warnings) {
    const text = warning.slice(0, lengthMax);
    left -= text.length;
    if (left < 0) break;
    texts.push(`299 - ${JSON.stringify(text.replaceAll(/[^\x20-\x7e]/g, "?"))}`);
  }
  response.headers["warning"] = texts.join(", ");
  return response;
}
