import { makePicture, type PictureSource, reportText } from "@kintsugi/rehearsal";
import type { RehearsalSubject } from "@kintsugi/story";
import { LocalRuns } from "../rehearsal/runs/run-order.ts";
import { answerQuestions } from "../rehearsal/rehearse.ts";

/**
 * Answers a lesson's question about a cluster, in this process. @returns the lines of the report
 */
export async function rehearseFor(
  { flags }: RehearsalSubject,
  source: PictureSource & { readonly isWhole: boolean },
): Promise<string[]> {
  const everyAt = flags.indexOf("--every");
  const report = await answerQuestions(
    makePicture(source),
    { workers: new LocalRuns(), onProgress: () => {} },
    {
      every: everyAt < 0 ? undefined : (flags[everyAt + 1] as "node" | "zone"),
      drainAll: flags.includes("--drain-all"),
      upgrade: false,
      surge: 0,
      runs: 1,
      seed: 1,
      changes: false,
      isUnsettled: source.isWhole,
    },
  );
  return reportText(report);
}
