import {
  Binding,
  bindings,
  apiVersionOf,
  DeleteOptions,
  describeSchema,
  Eviction,
  LocalSubjectAccessReview,
  localSubjectAccessReviews,
  type ResourceType,
  Scale,
  SelfSubjectAccessReview,
  selfSubjectAccessReviews,
  SelfSubjectReview,
  selfSubjectReviews,
  SelfSubjectRulesReview,
  selfSubjectRulesReviews,
  SubjectAccessReview,
  subjectAccessReviews,
  TokenRequest,
  TokenReview,
  tokenReviews,
  type TypeDescription,
} from "@kintsugi/api";
import type { z } from "zod";
import type { ServedResource, ServedSubresource } from "./served-resource.ts";
import type { Resource } from "./resource.ts";

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** Kinds that are only posted and answered. */
const transient: readonly { type: ResourceType; schema: z.ZodType }[] = [
  { type: bindings, schema: Binding },
  { type: localSubjectAccessReviews, schema: LocalSubjectAccessReview },
  { type: selfSubjectAccessReviews, schema: SelfSubjectAccessReview },
  { type: selfSubjectRulesReviews, schema: SelfSubjectRulesReview },
  { type: subjectAccessReviews, schema: SubjectAccessReview },
  { type: selfSubjectReviews, schema: SelfSubjectReview },
  { type: { ...selfSubjectReviews, version: "v1beta1" }, schema: SelfSubjectReview },
  { type: tokenReviews, schema: TokenReview },
];

/** How bodies of kinds that are not stored decode from protobuf. */
export const transientDescriptions: ReadonlyMap<string, TypeDescription> = new Map([
  ...transient.map(({ type, schema }) => [`${apiVersionOf(type)} ${type.kind}`, describeSchema(schema)] as const),
  ["policy/v1 Eviction", describeSchema(Eviction)],
  ["autoscaling/v1 Scale", describeSchema(Scale)],
  ["authentication.k8s.io/v1 TokenRequest", describeSchema(TokenRequest)],
]);

/**
 * Bodies that clients send in the name of any group: upstream registers them in every version that it serves, and client-go
 * writes the resource's own, "v1" or "meta.k8s.io/v1", by its age. Options of other verbs are only ever in the query.
 */
export const descriptionsOfEveryGroup: ReadonlyMap<string, TypeDescription> = new Map([
  ["DeleteOptions", describeSchema(DeleteOptions)],
]);

/** What discovery and OpenAPI say is there. */
export function servedResources(stored: readonly Resource[]): ServedResource[] {
  const served: ServedResource[] = stored.map((resource) => ({
    type: resource.type,
    description: resource.description,
    verbs: verbsOf(resource),
    subresources: (resource.subresources ?? []).map((name) => subresource(resource, name)),
  }));
  for (const { type, schema } of transient) {
    served.push({ type, description: describeSchema(schema), verbs: ["create"], subresources: [] });
  }
  return served;
}

/** Namespaces are deleted one by one, as upstream. */
function verbsOf(resource: Resource): string[] {
  return resource.type.resource === "namespaces" ? verbs.filter((verb) => verb !== "deletecollection") : verbs;
}

function subresource(resource: Resource, name: string): ServedSubresource {
  const own = { group: resource.type.group, version: resource.type.version, kind: resource.type.kind };
  switch (name) {
    case "scale":
      return {
        name,
        group: "autoscaling",
        version: "v1",
        kind: "Scale",
        description: describeSchema(Scale),
        verbs: readWrite,
      };
    case "eviction":
      return {
        name,
        group: "policy",
        version: "v1",
        kind: "Eviction",
        description: describeSchema(Eviction),
        verbs: ["create"],
      };
    case "binding":
      return {
        name,
        group: "",
        version: "v1",
        kind: "Binding",
        description: describeSchema(Binding),
        verbs: ["create"],
      };
    case "token":
      return {
        name,
        group: "authentication.k8s.io",
        version: "v1",
        kind: "TokenRequest",
        description: describeSchema(TokenRequest),
        verbs: ["create"],
      };
    case "log":
      return { name, ...own, description: undefined, verbs: ["get"] };
    case "exec":
      return { name, ...own, kind: "PodExecOptions", description: undefined, verbs: connectVerbs };
    case "attach":
      return { name, ...own, kind: "PodAttachOptions", description: undefined, verbs: connectVerbs };
    case "portforward":
      return { name, ...own, kind: "PodPortForwardOptions", description: undefined, verbs: connectVerbs };
    case "proxy":
      return {
        name,
        ...own,
        kind: `${own.kind}ProxyOptions`,
        description: undefined,
        verbs: own.kind === "Node" ? ["get"] : proxyVerbs,
      };
    case "finalize":
      return { name, ...own, description: resource.description, verbs: ["update"] };
    default:
      return { name, ...own, description: resource.description, verbs: readWrite };
  }
}

const readWrite = ["get", "patch", "update"];
const connectVerbs = ["create", "get"];
const proxyVerbs = ["create", "delete", "get", "patch", "update"];
