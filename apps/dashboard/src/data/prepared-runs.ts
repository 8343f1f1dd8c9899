import type { PlayAnswer, PlayRequest } from "@kintsugi/story";
import { lessonAt } from "../model/playground/lesson-at.ts";
import { unzipped } from "./packed-recordings.ts";

export type PlayedAnswer = Extract<PlayAnswer, { is: "played" }>;

/**
 * Reads the run of a lesson that was simulated when the page was built, so that the lesson starts
 * immediately. Undefined for other runs, which are simulated in the tab.
 * @param read requests a file in the page's folder
 */
export async function preparedRun(
  request: PlayRequest,
  read: (path: string) => Promise<Response>,
): Promise<PlayedAnswer | undefined> {
  const lesson = lessonAt(request);
  if (lesson === undefined) return undefined;
  try {
    const answer = await read(`runs/${lesson.id}.json.gz`);
    if (!answer.ok || answer.body === null) return undefined;
    return (await unzipped(answer.body)) as PlayedAnswer;
  } catch {
    // A page without its prepared runs simulates them.
    return undefined;
  }
}
