import { type Ingress, type IngressClass, ingressClassAnnotation } from "@kintsugi/api";

/** The value of `spec.controller` in the IngressClasses that are served here. */
export const controllerName = "kintsugi.dev/ingress-controller";

/**
 * Returns the Ingresses whose class names this controller, the oldest first, because the older of
 * two Ingresses gets a host and path that both claim. An Ingress without a class does not belong to
 * a controller; the API server sets the default class on new Ingresses.
 */
export function ownedIngresses(ingresses: readonly Ingress[], classes: readonly IngressClass[]): Ingress[] {
  return ingresses
    .filter((ingress) => classControllerOf(ingress, classes) === controllerName)
    .toSorted((a, b) => (ageKey(a) < ageKey(b) ? -1 : 1));
}

/**
 * Returns the controller of an Ingress's class; undefined when the Ingress has no class, or a class
 * that does not exist.
 */
export function classControllerOf({ metadata, spec }: Ingress, classes: readonly IngressClass[]): string | undefined {
  const name = spec?.ingressClassName ?? metadata.annotations?.[ingressClassAnnotation];
  return classes.find((each) => each.metadata.name === name)?.spec?.controller;
}

function ageKey({ metadata }: Ingress): string {
  return [metadata.creationTimestamp ?? "", metadata.namespace ?? "", metadata.name ?? ""].join("\n");
}
