import type { DeviceRequest, DeviceTaint, DeviceToleration } from "@kintsugi/api";
import { toleratesDeviceTaint } from "@kintsugi/rules";

/** The devices that a request, or one of its subrequests, demands. */
export interface DeviceDemand {
  readonly request: string;
  /** Undefined if the request has no alternatives. */
  readonly subrequest: string | undefined;
  readonly className: string;
  /** All devices that match, instead of `count` of them. */
  readonly wantsAll: boolean;
  readonly count: number;
  /** The CEL expressions of the request, without the expressions of the class. */
  readonly selectors: readonly string[];
  readonly isAdmin: boolean;
  readonly tolerations: readonly DeviceToleration[];
  /** The amounts by the names of capacities. */
  readonly capacity: Readonly<Record<string, string>>;
}

type Wanted = NonNullable<DeviceRequest["exactly"]> | NonNullable<DeviceRequest["firstAvailable"]>[number];

/**
 * Returns the alternatives of a request, the preferred alternative first; a single alternative if
 * the request does not offer a choice.
 */
export function demandsOf({ name, exactly, firstAvailable = [] }: DeviceRequest): readonly DeviceDemand[] {
  if (exactly !== undefined) return [demandOf(exactly, { request: name, subrequest: undefined })];
  return firstAvailable.map((wanted) => demandOf(wanted, { request: name, subrequest: wanted.name }));
}

function demandOf(wanted: Wanted, names: Pick<DeviceDemand, "request" | "subrequest">): DeviceDemand {
  return {
    ...names,
    className: wanted.deviceClassName,
    wantsAll: wanted.allocationMode === "All",
    count: wanted.count ?? 1,
    selectors: (wanted.selectors ?? []).map(({ cel }) => cel?.expression ?? ""),
    isAdmin: "adminAccess" in wanted && wanted.adminAccess === true,
    tolerations: wanted.tolerations ?? [],
    capacity: wanted.capacity?.requests ?? {},
  };
}

/** The name by which results, constraints and configurations refer to the demand. */
export function demandName({ request, subrequest }: Pick<DeviceDemand, "request" | "subrequest">): string {
  return subrequest === undefined ? request : `${request}/${subrequest}`;
}

/**
 * Reports whether a list of names, where an empty list represents all requests, includes the
 * demand.
 */
export function concerns(names: readonly string[] | undefined, demand: DeviceDemand): boolean {
  if (names === undefined || names.length === 0) return true;
  return names.includes(demand.request) || names.includes(demandName(demand));
}

/** Reports whether the request tolerates all taints that keep requests away. */
export function toleratesTaints(taints: readonly DeviceTaint[] | undefined, { tolerations }: DeviceDemand): boolean {
  return (taints ?? []).every(
    (taint) =>
      (taint.effect !== "NoSchedule" && taint.effect !== "NoExecute") ||
      tolerations.some((toleration) => toleratesDeviceTaint(toleration, taint)),
  );
}
