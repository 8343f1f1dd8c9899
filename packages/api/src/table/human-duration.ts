const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * A duration in the format of kubectl's ages (apimachinery/pkg/util/duration HumanDuration): two
 * units while small, then one.
 */
export function formatHumanDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / second);
  // Clocks of two machines differ, so less than two seconds ahead count as now.
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 2 * 60) return `${seconds}s`;
  const minutes = Math.trunc(durationMs / minute);
  if (minutes < 10) return twoUnits([minutes, "m"], [seconds % 60, "s"]);
  if (minutes < 3 * 60) return `${minutes}m`;
  const hours = Math.trunc(durationMs / hour);
  if (hours < 8) return twoUnits([hours, "h"], [minutes % 60, "m"]);
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (days < 8) return twoUnits([days, "d"], [hours % 24, "h"]);
  if (days < 2 * 365) return `${days}d`;
  const years = Math.trunc(days / 365);
  if (years < 8) return twoUnits([years, "y"], [days % 365, "d"]);
  return `${years}y`;
}

function twoUnits(large: [number, string], small: [number, string]): string {
  const head = large.join("");
  return small[0] === 0 ? head : `${head}${small.join("")}`;
}
