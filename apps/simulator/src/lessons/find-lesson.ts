import { type Lesson, lessons } from "@kintsugi/story";
import { nearestWord } from "@kintsugi/yaml-text";
import { UsageError } from "../scenarios/find-scenario.ts";

/** The number of a lesson, counted from 1. */
export function numberOf(lesson: Lesson): number {
  return lessons.indexOf(lesson) + 1;
}

/** @throws UsageError for a number or a name that does not belong to a lesson. */
export function findLesson(asked: string): Lesson {
  const found = /^\d+$/.test(asked) ? lessons[Number(asked) - 1] : lessons.find(({ id }) => id === asked);
  if (found !== undefined) return found;
  const near = nearestWord(
    asked,
    lessons.map(({ id }) => id),
  );
  const hint = near === undefined ? "" : `did you mean "${near}"? `;
  throw new UsageError(
    `there is no lesson "${asked}"; ${hint}lessons have the numbers 1 to ${lessons.length}, and \`kintsugi learn\` lists them`,
  );
}

/** The list of all lessons, by chapter. */
export function lessonList(): string[] {
  const width = Math.max(...lessons.map(({ title }) => title.length)) + 2;
  const chapters = [...new Set(lessons.map(({ chapter }) => chapter))];
  return [
    ...chapters.flatMap((chapter) => [
      "",
      chapter,
      ...lessons
        .filter((each) => each.chapter === chapter)
        .map(
          (each) =>
            `${String(numberOf(each)).padStart(4)}  ${each.title.padEnd(width)}${each.minutes} min${each.goal === undefined ? "" : ", with a goal"}`,
        ),
    ]),
    "",
    "Play one: kintsugi learn 1",
  ].slice(1);
}
