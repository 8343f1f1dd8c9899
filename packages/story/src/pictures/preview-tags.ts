import { shortagesOf } from "../pod-counts.ts";
import type { PreviewTag } from "../recording/player-page.ts";
import type { PodHistory, StoryRecording } from "../recording/story-recording.ts";
import { previewHeight, previewPicture, previewWidth } from "./preview-picture.ts";
import { pngOf, type PngDeps } from "./png.ts";
import { runPicture } from "./run-picture.ts";

/** Absolute addresses, without which networks do not show a picture. */
export interface PublishedPage {
  readonly page: string;
  readonly picture: string;
}

/** Returns the preview of a recording, with a picture of the same run. */
export function previewTags(recording: StoryRecording, published?: PublishedPage): PreviewTag[] {
  const { title, description } = recording;
  const tags = [
    { property: "og:title", content: `Kintsugi: ${title}` },
    { property: "og:description", content: description },
    { property: "og:type", content: "website" },
  ];
  const history = costliestHistory(recording);
  if (published !== undefined)
    return [
      ...tags,
      { property: "og:url", content: published.page },
      ...(history === undefined
        ? []
        : [
            { property: "og:image", content: published.picture },
            { property: "og:image:width", content: String(previewWidth) },
            { property: "og:image:height", content: String(previewHeight) },
            { property: "twitter:card", content: "summary_large_image" },
          ]),
    ];
  if (history === undefined) return tags;
  const picture = runPicture({ recording: { ...recording, pods: [history] }, workload: history.workload, title });
  return [...tags, { property: "og:image", content: `data:image/svg+xml,${encodeURIComponent(picture)}` }];
}

/**
 * Returns the preview's picture as a PNG file; undefined for a recording without counts of pods.
 */
export function previewPng(recording: StoryRecording, deps: PngDeps): Uint8Array | undefined {
  const history = costliestHistory(recording);
  if (history === undefined) return undefined;
  const { workload } = history;
  return pngOf(previewPicture({ recording: { ...recording, pods: [history] }, workload }), deps);
}

/** The pods of the workload that was degraded longest. */
function costliestHistory({ pods = [], toMs }: StoryRecording): PodHistory | undefined {
  const cost = ({ samples }: PodHistory) => shortagesOf(samples, toMs).degradedMs;
  return pods.toSorted((a, b) => cost(b) - cost(a))[0];
}

/**
 * The addresses of a page, and of its preview's picture, in the folder of a site where both files
 * are published; undefined for an invalid address.
 */
export function publishedPage(site: string, file: string): PublishedPage | undefined {
  const base = site.endsWith("/") ? site : `${site}/`;
  if (!URL.canParse(base) || !/^https?:\/\//i.test(base)) return undefined;
  const addressOf = (path: string) => new URL(encodeURIComponent(path.replace(/^.*\//, "")), base).href;
  return { page: addressOf(file), picture: addressOf(pictureNextTo(file)) };
}

/** The file of the preview's picture: "run.png" for "run.html". */
export function pictureNextTo(page: string): string {
  return `${page.replace(/\.html?$/i, "")}.png`;
}
