import { badRequest, type KindVerb, methodNotSupported } from "@kintsugi/api";
import type { ApiRequest, ApiResponse } from "./http/api-request.ts";
import { negotiate, type ResponseForm } from "./http/negotiate.ts";
import { methodNotAllowed, pathNotFound } from "./http/refusals.ts";
import type { UserInfo } from "./authorization/authorization.ts";
import type { ResourceCall } from "./request/resource-call.ts";
import type { RequestInfo } from "./request/request-info.ts";
import type { Resource } from "./resources/resource.ts";
import type { ServerContext } from "./server-context.ts";
import { hasTable, type Subresource, subresourceHandler, type Verb } from "./subresources/subresource-table.ts";
import { create } from "./verbs/create.ts";
import { deleteObject } from "./verbs/delete.ts";
import { deleteCollection } from "./verbs/delete-collection.ts";
import { get } from "./verbs/get.ts";
import { list } from "./verbs/list.ts";
import { withNodeRevisions } from "./verbs/node-lease-header.ts";
import { patch } from "./verbs/patch.ts";
import { update } from "./verbs/update.ts";
import { watch } from "./verbs/watch.ts";

type Answer = ApiResponse | Promise<ApiResponse>;

/** Finds who answers an authorized request. @throws ApiError */
export type Routes = (request: ApiRequest, info: RequestInfo, user: UserInfo) => Answer;

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

/** What is not a stored object: discovery, health, reviews, our own group. `undefined` when the path is none of its own. */
export type SpecialRoute = (request: ApiRequest, info: RequestInfo, user: UserInfo) => Answer | undefined;

export interface RouteDeps {
  context: ServerContext;
  subresources: readonly Subresource[];
  special: readonly SpecialRoute[];
}

export function createRoutes(deps: RouteDeps): Routes {
  const { context, special } = deps;
  const subresources = new Map(deps.subresources.map((subresource) => [subresource.name, subresource]));
  return (request, info, user) => {
    if (info.rest.length > 0) throw pathNotFound();
    if (info.isResource) {
      const resource = context.registry.find(info.group, info.version, info.resource);
      if (resource !== undefined) return answerResource(context, subresources, { request, info, user, resource });
    }
    for (const route of special) {
      const answer = route(request, info, user);
      if (answer !== undefined) return answer;
    }
    throw pathNotFound();
  };
}

interface Routed {
  request: ApiRequest;
  info: RequestInfo;
  user: UserInfo;
  resource: Resource;
}

function answerResource(
  context: ServerContext,
  subresources: ReadonlyMap<string, Subresource>,
  routed: Routed,
): Answer {
  const { request, info, user, resource } = routed;
  checkScope(resource, info);
  // The form of an answer from behind a proxy is between its server and the client.
  const form: ResponseForm =
    info.behindProxy === undefined
      ? withTableOptions(negotiate(request.headers["accept"], hasTable(info)), info)
      : { as: "object" };
  const { deprecation } = resource.kind.strategy;
  const warnings = deprecation === undefined ? [] : [deprecation];
  const call: ResourceCall = { request, info, user, resource, form, warnings };
  const verb = info.subresource === "" ? ownHandler(call) : subresourceHandler(subresources, call);
  const answer = verb(context, call);
  const finish = (response: ApiResponse) => withNodeRevisions(context, call, withWarnings(response, call));
  return answer instanceof Promise ? answer.then(finish) : finish(answer);
}

/** The handler of a verb on the objects themselves. @throws ApiError MethodNotAllowed */
function ownHandler({ info, resource }: ResourceCall): Verb {
  const { verb, name } = info;
  if (!Object.hasOwn(verbs, verb) || (verb === "create" && name !== "")) throw methodNotAllowed();
  const known = verb as KindVerb;
  if (!resource.kind.verbs.includes(known)) throw methodNotSupported(resource.type, known);
  return verbs[known];
}

/** Objects of a namespaced kind lie in a namespace, others in none; all namespaces together can only be read. */
function checkScope(resource: Resource, info: RequestInfo): void {
  const { namespaced } = resource.type;
  if (resource.kind.exceptions.isNamespace === true) info.namespace = "";
  if (!namespaced && info.namespace !== "") throw pathNotFound();
  if (namespaced && info.namespace === "" && info.verb !== "list" && info.verb !== "watch") {
    if (info.name !== "") throw pathNotFound();
    throw info.verb === "create" ? badRequest("an empty namespace may not be set during creation") : methodNotAllowed();
  }
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

/** Several warnings share one header; each is quoted as upstream quotes it. */
function withWarnings(response: ApiResponse, call: ResourceCall): ApiResponse {
  if (call.warnings.length === 0) return response;
  const texts = call.warnings.map((text) => `299 - ${JSON.stringify(text.replaceAll(/[^\x20-\x7e]/g, "?"))}`);
  response.headers["warning"] = texts.join(", ");
  return response;
}
