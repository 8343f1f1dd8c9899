/** One measured figure, comparable between runs and machines. */
export interface Figure {
  /** "api.create.64.rate": a stable identifier for programs. */
  readonly id: string;
  /** The figure's name for people. */
  readonly what: string;
  readonly value: number;
  /** "h/min": virtual hours per minute of one core. */
  readonly unit: "ms" | "µs" | "/s" | "h/min" | "MB" | "KB" | "%";
  /** The goal: at most for times and sizes, at least for rates. */
  readonly goal?: number;
  /** The parts of the figure, or the range of the runs. */
  readonly detail?: string;
}

/** Reports whether a figure reaches its goal; undefined without one. */
export function reachesGoal(figure: Figure): boolean | undefined {
  if (figure.goal === undefined) return undefined;
  return figure.unit === "/s" || figure.unit === "h/min" ? figure.value >= figure.goal : figure.value <= figure.goal;
}

export function formatFigures(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const reached = reachesGoal(figure);
    return [
      figure.what,
      number(figure.value, figure.unit),
      figure.goal === undefined ? "" : number(figure.goal, figure.unit),
      reached === undefined ? "" : reached ? "yes" : "no",
      figure.detail ?? "",
    ];
  });
  const header = ["FIGURE", "MEASURED", "GOAL", "REACHED", "DETAIL"];
  const widths = header.map((_, i) => Math.max(...[header, ...rows].map((row) => (row[i] ?? "").length)));
  return [header, ...rows]
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("   ")
        .trimEnd(),
    )
    .join("\n");
}

function number(value: number, unit: Figure["unit"]): string {
  const text = value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(value < 10 ? 2 : 1);
  return unit === "/s" ? `${text}/s` : `${text} ${unit}`;
}
