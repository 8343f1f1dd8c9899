import { type ApiResponse, textResponse } from "../http/api-request.ts";
import type { SpecialRoute } from "../routes.ts";

/** Throws a sentence when it does not hold. */
type HealthCheck = () => void;

export interface HealthChecks {
  /** Whether the process is worth keeping. */
  livez: Readonly<Record<string, HealthCheck>>;
  /** Whether it should get requests. */
  readyz: Readonly<Record<string, HealthCheck>>;
}

/** /livez, /readyz, /healthz, each with ?verbose, ?exclude and single checks below. */
export function createHealthRoute(checks: HealthChecks): SpecialRoute {
  const byPath = new Map([
    ["livez", checks.livez],
    ["readyz", checks.readyz],
    ["healthz", checks.livez],
  ]);
  return (_request, info) => {
    const [name = "", only] = info.segments;
    const all = byPath.get(name);
    if (info.isResource || all === undefined || info.segments.length > 2) return undefined;
    if (only !== undefined && !Object.hasOwn(all, only)) return undefined;
    const excluded = new Set(info.query.getAll("exclude"));
    const chosen = Object.entries(all).filter(
      ([check]) => (only === undefined || check === only) && !excluded.has(check),
    );
    return report(name, chosen, info.query.has("verbose"));
  };
}

function report(name: string, checks: readonly (readonly [string, HealthCheck])[], verbose: boolean): ApiResponse {
  const lines: string[] = [];
  let failed = false;
  for (const [check, run] of checks) {
    try {
      run();
      lines.push(`[+]${check} ok`);
    } catch {
      failed = true;
      // What exactly is wrong stands in the log: this page is public.
      lines.push(`[-]${check} failed: reason withheld`);
    }
  }
  if (failed) return textResponse(500, `${lines.join("\n")}\n${name} check failed\n`);
  return textResponse(200, verbose ? `${lines.join("\n")}\n${name} check passed\n` : "ok");
}
