// Subjects of changes. A change of pod default/web-0, bound to node-1, of the cluster "lab":
//
//   lab.watch.core.pods.node-1.default.web-0      cluster . watch . group . resource .
//                                                 node or _ . namespace or _ . name
//   lab.watch.marks                               the relay's periodic report of the last
//                                                 revision of each resource
//   lab.watch.core.pods.>                         filter: all pods
//   lab.watch.core.pods.node-1.*.*                filter: the pods of node-1
//
// Bytes outside [A-Za-z0-9_-] are written =HH: coordination.k8s.io → coordination=2Ek8s=2Eio.

/** One resource of one cluster. */
export interface ResourceScope {
  cluster: string;
  /** "" for core. */
  group: string;
  resource: string;
}

/** One object as subjects address it; `nodeName` and `namespace` are "" if absent. */
export interface SubjectAddress {
  nodeName: string;
  namespace: string;
  name: string;
}

/**
 * Readers take names from the message, so a very long name may be cut, because the server limits a
 * line to 4 KiB.
 */
const nameTokenMax = 512;

/** @param root the result of `resourceRoot` for the resource. */
export function changeSubject(root: string, address: SubjectAddress): string {
  const name = escapeToken(address.name).slice(0, nameTokenMax);
  return `${root}.${tokenOrNone(address.nodeName)}.${tokenOrNone(address.namespace)}.${name}`;
}

/** Returns the subject of the marks of all resources, which is also the filter for this subject. */
export function marksSubject(cluster: string): string {
  return `${escapeToken(cluster)}.watch.marks`;
}

/** Returns the filter that covers all changes of the resource. */
export function resourceFilter(scope: ResourceScope): string {
  return `${resourceRoot(scope)}.>`;
}

/** Returns the filter that covers only the node's objects. */
export function nodeFilter(scope: ResourceScope, nodeName: string): string {
  return `${resourceRoot(scope)}.${tokenOrNone(nodeName)}.*.*`;
}

/** Returns the filter that covers all changes and marks of the cluster. */
export function clusterFilter(cluster: string): string {
  return `${escapeToken(cluster)}.watch.>`;
}

const plainToken = /^[A-Za-z0-9_-]*$/;

/** `text` as one subject token. */
export function escapeToken(text: string): string {
  if (plainToken.test(text)) return text;
  let token = "";
  for (const byte of Buffer.from(text, "utf8")) {
    const char = String.fromCharCode(byte);
    token += /[A-Za-z0-9_-]/.test(char) ? char : `=${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return token;
}

/** Returns the beginning of all subjects of a resource. */
export function resourceRoot({ cluster, group, resource }: ResourceScope): string {
  return `${escapeToken(cluster)}.watch.${group === "" ? "core" : escapeToken(group)}.${escapeToken(resource)}`;
}

/** `_` represents an absent part, so a part that is itself `_` is escaped. */
function tokenOrNone(text: string): string {
  if (text === "") return "_";
  return text === "_" ? "=5F" : escapeToken(text);
}
