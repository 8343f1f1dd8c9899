import { type Lesson, lessons, type PlayRequest, requestOf } from "@kintsugi/story";
import { writePlayAddress } from "./play-address.ts";

/** The lesson whose run was requested. */
export function lessonAt(request: PlayRequest): Lesson | undefined {
  const address = writePlayAddress(request);
  return lessons.find((each) => {
    const run = requestOf(each);
    return run !== undefined && writePlayAddress(run) === address;
  });
}
