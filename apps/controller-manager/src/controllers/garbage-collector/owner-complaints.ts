import { apiVersionOf, type Logger, type OwnerReference } from "@kintsugi/api";
import type { RecordEvent } from "@kintsugi/controller";
import type { GraphObject } from "./owner-graph.ts";
import { describeOwner } from "./owner-lookup.ts";

/** Reports owners that cannot be looked up. */
export class OwnerComplaints {
  readonly #recordEvent: RecordEvent;
  readonly #log: Logger;
  /** Kinds of owners that are not served, so that each kind is reported once. */
  readonly #unknownKinds = new Set<string>();

  constructor(deps: { recordEvent: RecordEvent; log: Logger }) {
    this.#recordEvent = deps.recordEvent;
    this.#log = deps.log;
  }

  invalidNamespace(object: GraphObject, owner: OwnerReference): void {
    const { type, namespace, name, uid } = object;
    const about = { apiVersion: apiVersionOf(type), kind: type.kind, namespace, name, uid };
    const message = `ownerRef ${describeOwner(object, owner)} does not exist in namespace "${namespace}"`;
    this.#recordEvent({ about, type: "Warning", reason: "OwnerRefInvalidNamespace", message });
  }

  unknownKind(object: GraphObject, owner: OwnerReference): void {
    const kind = `${owner.apiVersion}/${owner.kind}`;
    if (this.#unknownKinds.has(kind)) return;
    this.#unknownKinds.add(kind);
    this.#log.warn("owners of a kind that is not served are assumed to exist", {
      kind,
      for: `${object.namespace}/${object.name}`,
    });
  }
}
