/**
 * A duration as Go prints it, to the millisecond: "3m0s", "1h2m3s", "4.5s", "120ms". Upstream's
 * messages contain such durations.
 */
export function formatGoDuration(durationMs: number): string {
  const ms = Math.max(0, Math.round(durationMs));
  if (ms === 0) return "0s";
  if (ms < 1000) return `${ms}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = `${(ms % 60_000) / 1000}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}
