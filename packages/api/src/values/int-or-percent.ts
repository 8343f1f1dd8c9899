/**
 * Returns a count unchanged, or a percentage such as "25%" of `total`, rounded in the given
 * direction, like GetScaledValueFromIntOrPercent of apimachinery/pkg/util/intstr. Text that is not
 * a percentage, which validation rejects, counts as 0.
 */
export function scaledCount(value: number | string, total: number, rounding: "up" | "down"): number {
  if (typeof value === "number") return value;
  const percent = /^(\d+)%$/.exec(value)?.[1];
  if (percent === undefined) return 0;
  const share = (Number(percent) * total) / 100;
  return rounding === "up" ? Math.ceil(share) : Math.floor(share);
}
