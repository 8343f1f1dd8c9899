import { type ApiObject, namespaces } from "@kintsugi/api";
import { type ControllerParts, on } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { type NamespaceObject, NamespaceObjectReconciler } from "./namespace-object-reconciler.ts";

/** The parts of a controller that creates one object in each namespace. */
export function namespaceObjectParts<T extends ApiObject>(
  context: ControllerContext,
  object: NamespaceObject<T>,
): ControllerParts {
  const reconciler = new NamespaceObjectReconciler(context, object);
  return {
    workers: 1,
    keys: namespaces,
    watches: [
      on(namespaces, ({ type, object: { metadata } }) => (type === "deleted" ? [] : [metadata.name ?? ""])),
      on(object.type, ({ type, object: { metadata } }) =>
        type !== "added" && metadata.name === object.objectName ? [metadata.namespace ?? ""] : [],
      ),
    ],
    reconcile: (key, signal) => reconciler.reconcile(key, signal),
  };
}
