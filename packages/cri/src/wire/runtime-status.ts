import type { RuntimeHandler, RuntimeStatus } from "../container-runtime.ts";

export interface WireRuntimeStatus {
  status: Pick<RuntimeStatus, "conditions"> | null;
  /** The entries of a verbose answer; empty for an ordinary answer. */
  info: Readonly<Record<string, string>>;
  runtimeHandlers: { name: string; features: Omit<RuntimeHandler, "name"> | null }[];
  features: { supplementalGroupsPolicy: boolean } | null;
}

export function wireRuntimeStatus(
  { conditions, handlers, obeysGroupsPolicy }: RuntimeStatus,
  info: WireRuntimeStatus["info"] = {},
): WireRuntimeStatus {
  return {
    status: { conditions },
    info,
    runtimeHandlers: handlers.map(({ name, ...features }) => ({ name, features })),
    features: { supplementalGroupsPolicy: obeysGroupsPolicy },
  };
}

/** Sorts the handlers by name, so that the same handlers always form the same list. */
export function runtimeStatusFromWire({ status, runtimeHandlers, features: ofAll }: WireRuntimeStatus): RuntimeStatus {
  const handlers = runtimeHandlers.map(({ name, features }) => ({
    name,
    recursiveReadOnlyMounts: features?.recursiveReadOnlyMounts ?? false,
    userNamespaces: features?.userNamespaces ?? false,
  }));
  return {
    conditions: status?.conditions ?? [],
    handlers: handlers.sort((a, b) => (a.name < b.name ? -1 : 1)),
    obeysGroupsPolicy: ofAll?.supplementalGroupsPolicy ?? false,
  };
}
