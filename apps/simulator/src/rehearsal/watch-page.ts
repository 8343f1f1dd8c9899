import { reportAppendix, type RehearsalReport, reportHtml } from "@kintsugi/rehearsal";
import { type PlayerFiles, playersPage } from "@kintsugi/story";
import { policyDigest, readPlayer } from "../run/player-files.ts";
import type { WatchedRun } from "./runs/record-worst-runs.ts";

/** The report as one page, with a player of the recorded runs above it. */
export function watchPage(
  report: RehearsalReport,
  watched: readonly WatchedRun[],
  { files }: { files: PlayerFiles | undefined },
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
  return playersPage(page, { files, appendix }, { sha256: policyDigest });
}

/** @returns undefined if the player is not built. */
export function findPlayer(directory: string): PlayerFiles | undefined {
  try {
    return readPlayer(directory);
  } catch {
    return undefined;
  }
}
