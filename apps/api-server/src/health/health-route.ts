import type { Metrics } from "@kintsugi/api";
import { createHealthMetrics, type HealthPage } from "@kintsugi/daemon";
import { type ApiResponse, textResponse } from "../http/api-request.ts";
import type { PathRoute } from "../built-in-route.ts";

/** Throws an error with a sentence when the check fails. */
type HealthCheck = () => void;

export interface HealthChecks {
  /** The checks that decide whether the process has to be restarted. */
  livez: Readonly<Record<string, HealthCheck>>;
  /** The checks that decide whether the server should receive requests. */
  readyz: Readonly<Record<string, HealthCheck>>;
}

/** /livez, /readyz, /healthz, each with ?verbose, ?exclude and single checks below. */
export function createHealthRoute(checks: HealthChecks, metrics: Metrics): PathRoute {
  const tell = createHealthMetrics(metrics);
  const byPath = new Map<string, HealthChecks["livez"]>([
    ["livez", checks.livez],
    ["readyz", checks.readyz],
    ["healthz", checks.livez],
  ]);
  return (_request, info) => {
    const [name = "", only] = info.segments;
    const all = byPath.get(name);
    if (all === undefined || info.segments.length > 2) return undefined;
    if (only !== undefined && !Object.hasOwn(all, only)) return undefined;
    const excluded = new Set(info.query.getAll("exclude"));
    const chosen = Object.entries(all).filter(
      ([check]) => (only === undefined || check === only) && !excluded.has(check),
    );
    return report({ name: name as HealthPage, verbose: info.query.has("verbose"), tell }, chosen);
  };
}

interface Page {
  name: HealthPage;
  verbose: boolean;
  tell: ReturnType<typeof createHealthMetrics>;
}

function report({ name, verbose, tell }: Page, checks: readonly (readonly [string, HealthCheck])[]): ApiResponse {
  const lines: string[] = [];
  let failed = false;
  for (const [check, run] of checks) {
    try {
      run();
      lines.push(`[+]${check} ok`);
      tell(name, check, true);
    } catch {
      failed = true;
      tell(name, check, false);
      // The log has the exact fault, because this page is public.
      lines.push(`[-]${check} failed: reason withheld`);
    }
  }
  if (failed) return textResponse(500, `${lines.join("\n")}\n${name} check failed\n`);
  return textResponse(200, verbose ? `${lines.join("\n")}\n${name} check passed\n` : "ok");
}
