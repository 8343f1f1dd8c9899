import { CloudError } from "../cloud-error.ts";
import type { CloudRoute } from "../cloud-provider.ts";
import type { CloudRecord } from "./cloud-record.ts";

/** Limit on routes, higher than the number of a lab's machines; clouds have such a quota too. */
const routesMax = 500;

/**
 * Returns the record in which packets to the route's range are sent to its machine only.
 * @throws CloudError "Exhausted" if there is no room for another route.
 */
export function ensureRoute(record: CloudRecord, route: CloudRoute): CloudRecord {
  const others = record.routes.filter(({ cidr }) => cidr !== route.cidr);
  if (others.length >= routesMax) throw new CloudError("Exhausted", `this cloud has ${routesMax} routes at most`);
  return { ...record, routes: [...others, route] };
}

/** A route that now targets another machine remains. */
export function deleteRoute(record: CloudRecord, { cidr, target }: Pick<CloudRoute, "cidr" | "target">): CloudRecord {
  return { ...record, routes: record.routes.filter((route) => route.cidr !== cidr || route.target !== target) };
}
