import { addressFamily, type Ingress, type IngressClass, sameJson } from "@kintsugi/api";
import { controllerName, classControllerOf } from "./plan/owned-ingresses.ts";

type Points = NonNullable<NonNullable<NonNullable<Ingress["status"]>["loadBalancer"]>["ingress"]>;

/**
 * Returns the points at which an Ingress should be reported as served, if its status differs: the
 * address of the server in front for an Ingress of this controller, and no points for an Ingress
 * that has lost its class and still has only that address. The status of another controller's
 * Ingress is unchanged.
 */
export function planIngressStatus(
  ingress: Ingress,
  classes: readonly IngressClass[],
  address: string,
): Points | undefined {
  const points = ingress.status?.loadBalancer?.ingress ?? [];
  const own: Points = [addressFamily(address) === undefined ? { hostname: address } : { ip: address }];
  const controller = classControllerOf(ingress, classes);
  if (controller === controllerName) return sameJson(points, own) ? undefined : own;
  return controller === undefined && sameJson(points, own) ? [] : undefined;
}
