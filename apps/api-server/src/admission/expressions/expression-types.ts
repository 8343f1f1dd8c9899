import { dyn, listOfType, mapOfType, objectWith, type StaticType, typeNamed } from "@kintsugi/cel";

const [text, int, bool] = [typeNamed("string"), typeNamed("int"), typeNamed("bool")];
const time = typeNamed("google.protobuf.Timestamp");

const kind = objectWith("kubernetes.GroupVersionKind", { group: text, version: text, kind: text });
const resource = objectWith("kubernetes.GroupVersionResource", { group: text, version: text, resource: text });

/** Upstream's BuildRequestType: AdmissionRequest without the objects. */
export const requestType = objectWith("kubernetes.AdmissionRequest", {
  kind,
  resource,
  subResource: text,
  requestKind: kind,
  requestResource: resource,
  requestSubResource: text,
  name: text,
  namespace: text,
  operation: text,
  userInfo: objectWith("kubernetes.UserInfo", {
    username: text,
    uid: text,
    groups: listOfType(text),
    extra: mapOfType(text, listOfType(text)),
  }),
  dryRun: bool,
  options: dyn,
});

/** Upstream's BuildNamespaceType. */
export const namespaceType = objectWith("kubernetes.Namespace", {
  metadata: objectWith("kubernetes.NamespaceMetadata", {
    name: text,
    generateName: text,
    namespace: text,
    labels: mapOfType(text, text),
    annotations: mapOfType(text, text),
    UID: text,
    uid: text,
    creationTimestamp: time,
    deletionGracePeriodSeconds: int,
    deletionTimestamp: time,
    generation: int,
    resourceVersion: text,
    finalizers: listOfType(text),
  }),
  spec: objectWith("kubernetes.NamespaceSpec", { finalizers: listOfType(text) }),
  status: objectWith("kubernetes.NamespaceStatus", { phase: text }),
});

/**
 * A device in the view of claim selectors: attributes and capacities by domain and name
 * (k8s.io/dynamic-resource-allocation/cel).
 */
export const deviceType = objectWith("kubernetes.DRADevice", {
  driver: text,
  attributes: mapOfType(text, mapOfType(text, dyn)),
  capacity: mapOfType(text, mapOfType(text, typeNamed("kubernetes.Quantity"))),
  allowMultipleAllocations: bool,
});

const resourceCheck = typeNamed("kubernetes.authorization.ResourceCheck");
/** Upstream has a separate variable `authorizer.requestResource`; here it is a field. */
export const authorizerType: StaticType = objectWith("kubernetes.authorization.Authorizer", {
  requestResource: resourceCheck,
});
