import { type Figure, formatFigures } from "../figure.ts";

/**
 * Prints figures as soon as they are measured, because a run of many minutes may be interrupted.
 */
export function printed(figures: readonly Figure[]): readonly Figure[] {
  process.stderr.write(`${formatFigures(figures)}\n`);
  return figures;
}
