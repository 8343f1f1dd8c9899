/** "0s", "1.2s", "47s", "5m53s", "2h4m". */
export function secondsText(ms: number): string {
  if (ms < 10_000) return `${Math.round(ms / 100) / 10}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`;
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${Math.floor(minutes / 60)}h${minutes % 60}m`;
}

/** The share of runs without an end from which on the p95 has none either. */
export const endlessShare = 0.05;

/** A time that does not end has no length: a run only ends at some time. */
export function lastingText(ms: number, endless: number): string {
  return endless > endlessShare ? "for ever" : `for ${secondsText(ms)}`;
}
