import { type Lesson, lessons } from "@kintsugi/story";

/** A document plays a lesson in this place: `<!-- lesson: node-dead -->`, which code hosts hide. */
const mark = /^<!-- lesson: ([\w-]+) -->$/gm;

/**
 * Replaces the marks of lessons by the playground in a frame. The frame is in a closed element and
 * lazy, so a browser loads it when a reader opens it, and the page itself stays as small as it was.
 * @throws Error for a lesson that does not exist.
 */
export function withLessons(text: string, path: string): string {
  return text.replaceAll(mark, (_mark, id: string) => {
    const lesson = lessons.find((each) => each.id === id);
    if (lesson === undefined) throw new Error(`${path} plays the lesson ${id}, which does not exist`);
    return lessonEmbed(lesson, "/playground/index.html");
  });
}

/**
 * The markup of a lesson in a page. The markup is in one line, because Markdown with components
 * requires that.
 */
export function lessonEmbed({ id, title, minutes }: Lesson, playground: string): string {
  const frame = `<iframe src="${playground}#lesson=${id}" title="Lesson: ${title}" loading="lazy" width="100%" height="720"></iframe>`;
  return `<details><summary>Play the lesson “${title}” here (${minutes} min)</summary>${frame}</details>`;
}
