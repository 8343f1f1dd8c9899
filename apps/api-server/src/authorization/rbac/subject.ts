import type { Subject } from "@kintsugi/api";
import type { UserInfo } from "../authorization.ts";

const serviceAccountPrefix = "system:serviceaccount:";

/** The key of a subject: one text for each user (service accounts are users) and for each group. */
export type Identity = string;

/** Every identity that bindings may name for this user. */
export function identitiesOf(user: UserInfo): Identity[] {
  return [`user ${user.name}`, ...new Set(user.groups.map((group) => `group ${group}`))];
}

/** Returns the identity of a binding's subject; undefined for a subject of an unknown kind. */
export function identityOf(subject: Subject, bindingNamespace: string): Identity | undefined {
  switch (subject.kind) {
    case "User":
      return `user ${subject.name}`;
    case "Group":
      return `group ${subject.name}`;
    case "ServiceAccount": {
      const namespace = subject.namespace || bindingNamespace;
      return namespace === "" ? undefined : `user ${serviceAccountPrefix}${namespace}:${subject.name}`;
    }
    default:
      return undefined;
  }
}

/**
 * `User "jane"`, `ServiceAccount "name/namespace"`: as upstream names the subject that had the
 * right.
 */
export function describeSubject(subject: Subject, bindingNamespace: string): string {
  if (subject.kind === "ServiceAccount") {
    return `ServiceAccount ${JSON.stringify(`${subject.name}/${subject.namespace || bindingNamespace}`)}`;
  }
  return `${subject.kind} ${JSON.stringify(subject.name)}`;
}
