import { systemClock } from "@kintsugi/clock";
import type { RunTime } from "../../drawing/scale.ts";
import type { Palette } from "../../drawing/palette.ts";
import type { DashboardPage } from "../../state/page.ts";
import { pastPicture, pastPictureWidth } from "./past-picture.ts";

/** A film is short enough to be watched to its end; the last picture is held for a while. */
const [playedMs, stillMs] = [9_000, 1_500];
const framesPerSecond = 30;
/** Codecs by preference; a browser with a recorder supports at least one of them. */
const types = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];

export interface FilmOptions {
  readonly span: RunTime;
  readonly palette: Palette;
  readonly signal: AbortSignal;
  /** Called with the finished part of the film, 0 to 1. */
  readonly onProgress: (part: number) => void;
}

/**
 * Films a span of time in some ten seconds.
 * @throws Error with a sentence if the browser does not support it, or if the film was stopped.
 */
export async function filmOf(page: DashboardPage, { span, palette, signal, onProgress }: FilmOptions): Promise<Blob> {
  const type =
    typeof MediaRecorder === "undefined" ? undefined : types.find((each) => MediaRecorder.isTypeSupported(each));
  if (type === undefined) throw new Error("this browser cannot record a film; the pictures work");
  const picture = pastPicture(page, span, palette);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [pastPictureWidth, picture.height];
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("this browser cannot draw a film");
  picture.draw(context, span.fromMs);
  const recorder = new MediaRecorder(canvas.captureStream(framesPerSecond), { mimeType: type });
  const parts: Blob[] = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const isDone = new Promise<void>((resolve, reject) => {
    recorder.onstop = () => resolve();
    recorder.onerror = () => reject(new Error("the browser's recorder has failed"));
  });
  recorder.start();
  const startedMs = systemClock.monotonicMs();
  for (let passedMs = 0; passedMs < playedMs + stillMs && !signal.aborted;) {
    // A hidden tab does not get frames, so the film uses a timer.
    await systemClock.sleep(1000 / framesPerSecond, signal).catch(() => {});
    passedMs = systemClock.monotonicMs() - startedMs;
    const part = Math.min(1, passedMs / playedMs);
    picture.draw(context, span.fromMs + (span.toMs - span.fromMs) * part);
    onProgress(Math.min(1, passedMs / (playedMs + stillMs)));
  }
  recorder.stop();
  await isDone;
  signal.throwIfAborted();
  return new Blob(parts, { type });
}
