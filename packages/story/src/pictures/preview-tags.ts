import { shortagesOf } from "../pod-counts.ts";
import type { PreviewTag } from "../recording/player-page.ts";
import type { StoryRecording } from "../recording/story-recording.ts";
import { previewHeight, previewPicture, previewWidth } from "./preview-picture.ts";
import { pngOf, type PngDeps } from "./png.ts";
import { runPicture } from "./run-picture.ts";

/** Absolute addresses, without which networks show no picture. */
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
  const workload = costliestWorkload(recording);
  if (published !== undefined)
    return [
      ...tags,
      { property: "og:url", content: published.page },
      ...(workload === undefined
        ? []
        : [
            { property: "og:image", content: published.picture },
            { property: "og:image:width", content: String(previewWidth) },
            { property: "og:image:height", content: String(previewHeight) },
            { property: "twitter:card", content: "summary_large_image" },
          ]),
    ];
  if (workload === undefined) return tags;
  const picture = runPicture({ recording, workload, title });
  return [...tags, { property: "og:image", content: `data:image/svg+xml,${encodeURIComponent(picture)}` }];
}

/**
 * Returns the preview's picture as a PNG file; undefined for a recording without counts of pods.
 */
export function previewPng(recording: StoryRecording, deps: PngDeps): Uint8Array | undefined {
  const workload = costliestWorkload(recording);
  return workload === undefined ? undefined : pngOf(previewPicture({ recording, workload }), deps);
}

/** The workload that was degraded longest. */
function costliestWorkload({ pods = [], toMs }: StoryRecording): string | undefined {
  const cost = ({ samples }: (typeof pods)[number]) => shortagesOf(samples, toMs).degradedMs;
  return pods.toSorted((a, b) => cost(b) - cost(a))[0]?.workload;
}
