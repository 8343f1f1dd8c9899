import { silentMetrics } from "@kintsugi/api";
import { systemClock } from "@kintsugi/clock";
import { ConnectionGuard } from "../transport/connections/connection-guard.ts";
import { connectionLimits, type ConnectionLimits } from "../transport/connections/connection-limits.ts";

/** The guard of a server with 1,000 connections, except for the limits given. */
export function testGuard(limits: Partial<ConnectionLimits> = {}): ConnectionGuard {
  const deps = { clock: systemClock, metrics: silentMetrics };
  return new ConnectionGuard(deps, { ...connectionLimits({ connectionsMax: 1_000 }), ...limits });
}
