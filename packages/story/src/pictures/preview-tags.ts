import { shortagesOf } from "../pod-counts.ts";
import type { PreviewTag } from "../recording/player-page.ts";
import type { StoryRecording } from "../recording/story-recording.ts";
import { runPicture } from "./run-picture.ts";

/** Returns the preview of a recording, with a picture of the same run. */
export function previewTags(recording: StoryRecording): PreviewTag[] {
  const { title, description, pods = [], toMs } = recording;
  const cost = ({ samples }: (typeof pods)[number]) => shortagesOf(samples, toMs).degradedMs;
  const [worst] = pods.toSorted((a, b) => cost(b) - cost(a));
  const tags = [
    { property: "og:title", content: `Kintsugi: ${title}` },
    { property: "og:description", content: description },
    { property: "og:type", content: "website" },
  ];
  if (worst === undefined) return tags;
  const picture = runPicture({ recording, workload: worst.workload, title });
  return [...tags, { property: "og:image", content: `data:image/svg+xml,${encodeURIComponent(picture)}` }];
}
