import { type PageAppendix, type PlayerFiles, playerPage, type PlayerPageDeps } from "../recording/player-page.ts";
import type { StoryRecording } from "../recording/story-recording.ts";
import type { PngDeps } from "./png.ts";
import { previewPng, previewTags, type PublishedPage } from "./preview-tags.ts";

/** The parts of Node.js that the pages of programs need; this package also runs in browsers. */
export interface PageHost extends PlayerPageDeps, PngDeps {
  /** Reads a file of the built player. @throws Error if it does not exist. */
  readonly readPlayer: (name: string) => string;
}

/** Reads the player; the result is a text for users if the player is not built. */
export function readPlayer(host: Pick<PageHost, "readPlayer">): PlayerFiles | string {
  try {
    return { script: host.readPlayer("player.js"), style: host.readPlayer("player.css") };
  } catch (error) {
    return `the player is not built: run \`npm run bundle\` first (${(error as Error).message})`;
  }
}

export interface WrittenPage {
  readonly page: string;
  /** The picture of the preview as a PNG file, if the page is published and a workload had pods. */
  readonly picture: Uint8Array | undefined;
}

/** Writes a recording as a page that plays it, with the picture of its preview. */
export function writtenPage(
  recording: StoryRecording,
  parts: { files: PlayerFiles; appendix?: PageAppendix; published: PublishedPage | undefined },
  host: PageHost,
): WrittenPage {
  const { published } = parts;
  return {
    page: playerPage(recording, { ...parts, preview: previewTags(recording, published) }, host),
    picture: published && previewPng(recording, host),
  };
}
