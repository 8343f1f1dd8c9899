import type { PackedRecording, StoryRecording } from "@kintsugi/story";

/** Finds the recordings that stand in a page of several. */
export function packedRecordings(page: ParentNode): PackedRecording[] {
  return [...page.querySelectorAll<HTMLScriptElement>("script.recording")].map((element) => ({
    name: element.id.replace(/^data-/, ""),
    title: element.dataset["title"] ?? "",
    gzipBase64: element.textContent ?? "",
  }));
}

export async function unpackRecording({ gzipBase64 }: Pick<PackedRecording, "gzipBase64">): Promise<StoryRecording> {
  const bytes = Uint8Array.from(atob(gzipBase64), (letter) => letter.codePointAt(0) ?? 0);
  const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return (await new Response(text).json()) as StoryRecording;
}
