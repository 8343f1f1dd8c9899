import { escapeMarkup } from "@kintsugi/api";
import type { StoryRecording } from "./story-recording.ts";

/** The built player: one script and one style. */
export interface PlayerFiles {
  readonly script: string;
  readonly style: string;
}

export interface PlayerPageDeps {
  /** SHA-256 in base64, by which the page's policy identifies its own script and styles. */
  readonly sha256: (text: string) => string;
}

/** A recording among several recordings of one page. */
export interface PackedRecording {
  /** Letters, digits and dashes: the page's address ends with "#NAME" while it is shown. */
  readonly name: string;
  readonly title: string;
  /**
   * The recording as JSON, compressed by gzip, in base64, because several recordings share most
   * objects.
   */
  readonly gzipBase64: string;
}

/** A tag of a page by which chats and networks show a link to the page. */
export interface PreviewTag {
  /** The name in the Open Graph protocol: "og:title". */
  readonly property: string;
  readonly content: string;
}

/** A part of the page below the player, made by a program that escapes its texts. */
export interface PageAppendix {
  readonly html: string;
  readonly style: string;
}

/**
 * Writes a recording as one self-contained page: the player, and the recording as data. The policy
 * allows only the player's script and styles, which it identifies by their hashes.
 */
export function playerPage(
  recording: StoryRecording,
  parts: { files: PlayerFiles; appendix?: PageAppendix; preview?: readonly PreviewTag[] },
  deps: PlayerPageDeps,
): string {
  const data = `<script type="application/json" id="recording">${asData(recording)}</script>`;
  return pageOf({ title: recording.title, data: [data] }, parts, deps);
}

/** Writes several recordings as one page, where the viewer chooses a recording. */
export function playersPage(
  { title, recordings }: { title: string; recordings: readonly PackedRecording[] },
  parts: { files: PlayerFiles; appendix?: PageAppendix },
  deps: PlayerPageDeps,
): string {
  const data = recordings.map(
    (recording) =>
      `<script type="application/gzip" class="recording" id="data-${escapeMarkup(recording.name)}" data-title="${escapeMarkup(recording.title)}">${escapeMarkup(recording.gzipBase64)}</script>`,
  );
  return pageOf({ title, data }, parts, deps);
}

function pageOf(
  { title, data }: { title: string; data: readonly string[] },
  { files, appendix, preview = [] }: { files: PlayerFiles; appendix?: PageAppendix; preview?: readonly PreviewTag[] },
  { sha256 }: PlayerPageDeps,
): string {
  const script = asScript(files.script);
  const styles = [files.style, ...(appendix === undefined ? [] : [appendix.style])];
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${sha256(script)}'`,
    `style-src ${styles.map((style) => `'sha256-${sha256(style)}'`).join(" ")}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return [
    `<!doctype html>`,
    `<html lang="en"><head><meta charset="utf-8">`,
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    `<meta name="viewport" content="width=device-width, initial-scale=1">`,
    `<meta name="color-scheme" content="light dark">`,
    `<title>${escapeMarkup(title)}</title>`,
    ...preview.map(({ property, content }) => `<meta property="${property}" content="${escapeMarkup(content)}">`),
    ...styles.map((style) => `<style>${style}</style>`),
    `</head><body><div id="app"><p>The recording is being read.</p></div>`,
    `<noscript>The player needs JavaScript.</noscript>`,
    ...(appendix === undefined ? [] : [appendix.html]),
    ...data,
    `<script type="module">${script}</script></body></html>`,
    "",
  ].join("\n");
}

/** JSON in which no text can end the element, or open a comment. */
function asData(recording: StoryRecording): string {
  return JSON.stringify(recording).replaceAll("<", "\\u003c");
}

/**
 * The end tag of a script occurs only in strings of the script, where the backslash has no effect.
 * @throws Error when the script would open a comment that hides its own end.
 */
function asScript(script: string): string {
  if (script.includes("<!--") && /<script/i.test(script)) throw new Error("the player cannot be embedded in a page");
  return script.replaceAll(/<(?=\/script)/gi, "\\x3c");
}
