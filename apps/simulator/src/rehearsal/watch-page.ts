import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { reportAppendix, type RehearsalReport, reportHtml } from "@kintsugi/rehearsal";
import { type PlayerFiles, playersPage } from "@kintsugi/story";
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
  return playersPage(page, { files, appendix }, { sha256 });
}

/** @returns undefined if the player is not built. */
export function findPlayer(directory: string): PlayerFiles | undefined {
  try {
    const [script = "", style = ""] = ["player.js", "player.css"].map((name) =>
      readFileSync(join(directory, name), "utf8"),
    );
    return { script, style };
  } catch {
    return undefined;
  }
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
