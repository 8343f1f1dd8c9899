import { reportAppendix, type RehearsalReport, reportHtml } from "@kintsugi/rehearsal";
import { type PageHost, type PlayerFiles, playersPage, readPlayer } from "@kintsugi/story";
import type { WatchedRun } from "./runs/record-worst-runs.ts";

/** The report as one page, with a player of the recorded runs above it. */
export function watchPage(
  report: RehearsalReport,
  watched: readonly WatchedRun[],
  { files, host }: { files: PlayerFiles | undefined; host: PageHost },
): string {
  if (files === undefined || watched.length === 0) return reportHtml(report);
  const names = new Map(watched.map(({ about }, index) => [about, `run-${index + 1}`]));
  const recordings = watched.map(({ about, gzipBase64 }) => ({
    name: names.get(about) ?? "",
    title: about,
    gzipBase64,
  }));
  const appendix = reportAppendix(report, (about) => {
    const name = names.get(about);
    return name === undefined ? undefined : `#${name}`;
  });
  const page = { title: `Rehearsal of ${report.source}`, recordings };
  return playersPage(page, { files, appendix }, host);
}

/** @returns undefined if the player is not built. */
export function findPlayer(host: PageHost): PlayerFiles | undefined {
  const files = readPlayer(host);
  return typeof files === "string" ? undefined : files;
}
