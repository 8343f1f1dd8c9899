import { type Figure, formatFigures } from "../figure.ts";

/** Prints figures as soon as they are measured: a run of many minutes may be cut short. */
export function printed(figures: readonly Figure[]): readonly Figure[] {
  process.stderr.write(`${formatFigures(figures)}\n`);
  return figures;
}
