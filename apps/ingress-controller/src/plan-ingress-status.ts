import { addressFamily, type Ingress, type IngressClass, sameJson } from "@kintsugi/api";
import { controllerName, classControllerOf } from "./plan/owned-ingresses.ts";

type Points = NonNullable<NonNullable<NonNullable<Ingress["status"]>["loadBalancer"]>["ingress"]>;

/**
 * Returns the points at which an Ingress should be reported as served, where its status has others:
 * the address of the server in front for one of this controller, and none for one that has lost its
 * class and still has just that address. The status of one of another controller is left to that.
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
