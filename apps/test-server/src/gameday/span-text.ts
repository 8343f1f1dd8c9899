/** A length as "5 min 49 s". */
export function spanText(spanMs: number): string {
  const seconds = Math.round(spanMs / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${seconds} s`;
  return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
}
