import type { Resource } from "../../resources/resource.ts";
import type { KubeObject } from "../../resources/resource.ts";
import type { AdmissionRequest } from "../admission.ts";
import { shownAs } from "../matching/shown-object.ts";

const optionsKinds = {
  create: "CreateOptions",
  update: "UpdateOptions",
  delete: "DeleteOptions",
  connect: undefined,
} as const;

/** Describes a request as AdmissionReview does, without the objects. */
export function describeRequest(request: AdmissionRequest, resource: Resource) {
  const { operation, subresource, name, namespace, user, dryRun, object, requested } = request;
  const shown = shownAs(resource, object, subresource);
  const optionsKind = optionsKinds[operation];
  const options = { kind: optionsKind, apiVersion: "meta.k8s.io/v1", ...(dryRun ? { dryRun: ["All"] } : {}) };
  return {
    kind: kindOf(resource.type, shown),
    resource: resourceOf(resource.type),
    ...(subresource === "" ? {} : { subResource: subresource }),
    requestKind: kindOf(requested, subresource === "" || subresource === "status" ? undefined : shown),
    requestResource: resourceOf(requested),
    ...(subresource === "" ? {} : { requestSubResource: subresource }),
    ...(name === "" ? {} : { name }),
    ...(namespace === "" ? {} : { namespace }),
    operation: operation.toUpperCase(),
    userInfo: {
      username: user.name,
      ...(user.uid === undefined ? {} : { uid: user.uid }),
      groups: user.groups,
      ...(user.extra === undefined ? {} : { extra: user.extra }),
    },
    dryRun,
    options: optionsKind === undefined ? null : options,
  };
}

function resourceOf({ group, version, resource }: Resource["type"]) {
  return { group, version, resource };
}

/** The body of a subresource has a kind of its own. */
function kindOf(type: Resource["type"], object: KubeObject | undefined) {
  const [, group = "", version = type.version] = /^(?:(.*)\/)?([^/]*)$/.exec(object?.apiVersion ?? "") ?? [];
  if (object?.kind === undefined || object.kind === type.kind) {
    return { group: type.group, version: type.version, kind: type.kind };
  }
  return { group, version, kind: object.kind };
}
